import { keptOwner } from '../spi/kept-owner.ts';
import type { Facts, OwnerId } from '../spi/rule.ts';
import type { AcquireAsk, Granted, HolderView, MinHold, Renewed } from '../spi/verbs/holding.ts';
import type { ForceAsk } from '../spi/verbs/lock.ts';
import { nextFence } from './fence.ts';

/** Anything an owner has for a time: a hold, a permit, a place in line. */
export interface Leased {
  readonly owner: OwnerId;
  /** Engine time at which it ends by itself. */
  readonly until: number;
}

/** A hold with the block of fences that belongs to it. */
export interface Held extends Leased {
  readonly fence: number;
  readonly fences: number;
  /** Until then it stands although its owner's session has ended: it was to last at least so long. */
  readonly keptUntil?: number;
}

/** A lease ends exactly at `until`: at that instant it no longer stands, so two leases can follow without a gap. */
export function stands(leased: Leased, facts: Facts): boolean {
  return leased.until > facts.now && !facts.dead.has(leased.owner);
}

/** The same of a hold, which may be kept longer than its owner lives. */
export function holdStands(held: Held, facts: Facts): boolean {
  return held.until > facts.now && (!facts.dead.has(held.owner) || isKept(held, facts));
}

function isKept({ keptUntil }: Held, facts: Facts): boolean {
  return keptUntil !== undefined && keptUntil > facts.now;
}

/** How long until the hold could end with no further step. */
export function holdEndsInMs(held: Held, facts: Facts): number {
  if (held.keptUntil === undefined) return endsInMs(held, facts);
  const deadInMs = Math.max(held.keptUntil - facts.now, facts.dead.endsInMs(held.owner));
  return Math.min(held.until - facts.now, deadInMs);
}

/**
 * What is left of a hold that is released and was to last longer; undefined if nothing is. It has another owner: a renewal or
 * a release of its own that comes late finds nothing of its own.
 *
 * A fence that was ahead of the clock tells a later time than that of the grant. Never later than now, though: the hold is
 * over at the latest so long after its release. And never earlier than the store was asked to keep it: a fence is a whole
 * microsecond, and a clock with fractions of one has granted a little later than the fence says.
 */
export function keptHold(held: Held, minHold: MinHold | undefined, facts: Facts): Held | undefined {
  if (minHold === undefined) return undefined;
  const until = Math.max(Math.min(minHold.fence / 1000, facts.now) + minHold.ms, held.keptUntil ?? 0);
  if (until <= facts.now) return undefined;
  const { fence, fences } = held;
  return { owner: keptOwner(held.owner), until, fence, fences, keptUntil: until };
}

/** How long until the lease could end with no further step: by itself, or because its owner's session ends. */
export function endsInMs(leased: Leased, facts: Facts): number {
  return Math.min(leased.until - facts.now, facts.dead.endsInMs(leased.owner));
}

/** Renewing never shortens: a renewal that was delayed must not cut an extension that overtook it (soundness 4). */
export function prolonged<T extends Leased>(leased: T, leaseMs: number, facts: Facts): T {
  const until = facts.now + leaseMs;
  return until > leased.until ? { ...leased, until } : leased;
}

/** The hold, which is to last at least so long from now on, also if its owner's session ends. Never shortens either. */
export function keptFor(held: Held, minHoldMs: number | undefined, facts: Facts): Held {
  if (minHoldMs === undefined) return held;
  const keptUntil = facts.now + minHoldMs;
  return keptUntil > (held.keptUntil ?? 0) ? { ...held, keptUntil } : held;
}

/** Those that `keep` keeps. The same array if it keeps all, so that an unchanged state stays the same reference. */
export function kept<T>(list: readonly T[], keep: (item: T) => boolean): readonly T[] {
  return list.every(keep) ? list : list.filter(keep);
}

/** The list in which the owner's entry is `leased`; the same array if it already was. */
export function replaced<T extends Leased>(list: readonly T[], leased: T): readonly T[] {
  const at = list.findIndex((other) => other.owner === leased.owner);
  return list[at] === leased ? list : list.with(at, leased);
}

/** A new hold with the next fence: one fence only, because such a hold is not handed over. */
export function nextHold(previousFence: number, ask: AcquireAsk, facts: Facts): Held {
  const fence = nextFence(previousFence, facts);
  return { owner: ask.owner, until: facts.now + ask.leaseMs, fence, fences: 1 };
}

/** What is left of a grant: told to its owner at first and, if it asks again, ever after (soundness 2). */
export function grantedAnswer(held: Held, facts: Facts): Granted {
  return { kind: 'granted', fence: held.fence, fences: held.fences, remainingMs: held.until - facts.now };
}

/** Whether a forced release means this grant: without a fence any, with one only the grant it belongs to. */
export function isMeant(ask: ForceAsk, held: Held): boolean {
  if (ask.owner !== undefined && ask.owner !== held.owner) return false;
  return ask.fence === undefined || (ask.fence >= held.fence && ask.fence < held.fence + held.fences);
}

export function renewedAnswer(leased: Leased, facts: Facts): Renewed {
  return { kind: 'renewed', remainingMs: leased.until - facts.now };
}

/** Shows the last fence of the block: which fence of it the present holder has is known in the holder's process alone. */
export function holderView(held: Held, facts: Facts): HolderView {
  return { owner: held.owner, fence: held.fence + held.fences - 1, remainingMs: held.until - facts.now };
}
