import type { Facts, OwnerId } from '../spi/rule.ts';
import type { AcquireAsk, Granted, HolderView, Renewed } from '../spi/verbs/holding.ts';
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
}

/** A lease ends exactly at `until`: at that instant it no longer stands, so two leases can follow without a gap. */
export function stands(leased: Leased, facts: Facts): boolean {
  return leased.until > facts.now && !facts.dead.has(leased.owner);
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
