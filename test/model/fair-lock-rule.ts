import { nextFence } from '../../src/rules/fence.ts';
import { grantedAnswer, type Held } from '../../src/rules/lease.ts';
import type { LockState } from '../../src/rules/lock.ts';
import type { Facts, OwnerId } from '../../src/spi/rule.ts';
import type { Busy, Granted, Released } from '../../src/spi/verbs/holding.ts';
import type { LockAsk } from '../../src/spi/verbs/lock.ts';
import { holderOf } from './lock-kind.ts';

/** How much later than our own clock says a place that is not ours is given up. */
const CLOCKS_APART_MS = 2000;
/** No client looks more often than this for the end of another client's lease. */
const SHORTEST_LOOK_MS = 100;
/** How long after the last deadline we remember what our places have contributed. */
const REMEMBERED_MS = 600_000;
/** But never longer than this, however long a client of Java waits. */
const LONGEST_MS = 10 * 365 * 24 * 60 * 60 * 1000;
/** Who has offered to be let in for longer than this part of its lease has to ask. */
const LATELY = 0.3;

/** A place in line. Its deadline is that of the one before plus what this one contributes. */
export interface FairPlace {
  readonly owner: OwnerId;
  /** Undefined if a client has lost it. */
  readonly deadline: number | undefined;
  /** What it contributes, and until when it is kept whatever the chain says, as Redis knows it for ours. */
  readonly ours?: {
    readonly contributed: number;
    readonly keptUntil: number;
    /** With which lease a release may let it in; 0 if it has to ask. */
    readonly letInMs: number;
    /** Since when. */
    readonly offeredAt: number;
    /** How many stand there together: so many fences it gets. */
    readonly fences: number;
  };
  /** What it contributes, as a Java program knows it for its own. */
  readonly java?: number;
}

export interface FairLockState extends LockState {
  readonly line: readonly FairPlace[];
  /** When what ours contribute is forgotten. */
  readonly rememberedUntil: number;
}

/** Those from this place on come so much later. */
export function moved(line: readonly FairPlace[], from: number, ms: number): readonly FairPlace[] {
  return line.map((one, at) =>
    at < from || one.deadline === undefined ? one : { ...one, deadline: one.deadline + ms },
  );
}

/** The line without this place. The client that leaves takes what it contributed off all those behind. */
export function without(
  line: readonly FairPlace[],
  place: number,
  contributed: number,
): readonly FairPlace[] {
  return moved(line.toSpliced(place, 1), place, -contributed);
}

export function remembered(state: FairLockState, now: number): FairLockState {
  if (state.rememberedUntil > now) return state;
  return { ...state, line: state.line.map(({ ours: _ours, ...one }) => one) };
}

/** When a head is passed over. Java's clock may be behind ours. */
function keptUntil({ ours, deadline = -Infinity }: FairPlace): number {
  return ours?.keptUntil ?? deadline + CLOCKS_APART_MS;
}

/** The line without those at its head whose time is over. The one who asks is plainly alive. */
function alive(line: readonly FairPlace[], now: number, asking?: OwnerId): readonly FairPlace[] {
  const [head] = line;
  if (head === undefined || head.owner === asking) return line;
  if (head.deadline !== undefined && keptUntil(head) > now) return line;
  return alive(without(line, 0, head.ours?.contributed ?? 0), now, asking);
}

/** The line of a head of ours, chained from now: ours by when each is kept, Java's as far behind the one before as it was. */
function chainedFrom(now: number, line: readonly FairPlace[]): readonly FairPlace[] {
  const chained: FairPlace[] = [];
  let [before, beforeChained] = [now, now];
  for (const one of line) {
    if (one.deadline === undefined) {
      chained.push(one);
      continue;
    }
    const contributed =
      one.ours === undefined ? one.deadline - before : Math.max(0, one.ours.keptUntil - now);
    beforeChained += contributed;
    before = one.deadline;
    chained.push({
      ...one,
      deadline: beforeChained,
      ...(one.ours && { ours: { ...one.ours, contributed } }),
    });
  }
  return chained;
}

/** Whether the chain began too long ago, or does not fit the head, which Java may have come to by dropping others. */
function isWorn(
  { deadline, ours }: Required<Pick<FairPlace, 'deadline' | 'ours'>>,
  waitMs: number,
  now: number,
) {
  const isUneven = Math.abs(deadline! - ours.keptUntil) > waitMs / 12;
  return isUneven || deadline! - ours.contributed < now - waitMs / 2;
}

type Ours = NonNullable<FairPlace['ours']>;
type Offer = Pick<Ours, 'letInMs' | 'offeredAt'>;

/** One of ours of whom Redis has forgotten what it contributed: it is what the chain says, as with Java. */
function recalled(
  line: readonly FairPlace[],
  place: number,
  javaWaitMs: number,
  asked: Offer & Pick<Ours, 'fences'>,
): FairPlace {
  const own = line[place]!;
  const [head, before] = [line[0]!, line[place - 1]?.deadline];
  if (before === undefined) return { ...own, ours: { contributed: 0, keptUntil: own.deadline!, ...asked } };
  const contributed = own.deadline! - before;
  const base = head.deadline! - (head.ours?.contributed ?? javaWaitMs);
  return { ...own, ours: { contributed, keptUntil: base + contributed, ...asked } };
}

/** Where the chain begins. Java's part in it is known to ours that stand behind it, and can only be guessed otherwise. */
function baseOf(
  line: readonly FairPlace[],
  knowing: FairPlace | undefined,
  now: number,
  guess: Guess,
): number {
  const [head] = line;
  if (head?.deadline === undefined) return now;
  if (head.ours !== undefined) return head.deadline - head.ours.contributed;
  if (knowing?.ours !== undefined) return knowing.ours.keptUntil - knowing.ours.contributed;
  return Math.min(head.deadline - guess.javaWaitMs, guess.leaseEndsAt);
}

interface Guess {
  readonly javaWaitMs: number;
  /** The chain of a line begins no later. */
  readonly leaseEndsAt: number;
}

/** The line with this owner in it, whose place is kept for as long as it asks. */
function lined(
  given: readonly FairPlace[],
  { owner, fences, interestMs, leaseMs, handOff: letIn = false }: LockAsk,
  now: number,
  guess: Guess,
): readonly FairPlace[] {
  const offer = letIn ? { letInMs: leaseMs, offeredAt: now } : { letInMs: 0, offeredAt: 0 };
  const isIn = given.some((one) => one.owner === owner && one.deadline !== undefined);
  const others = isIn
    ? given
    : alive(
        given.filter((one) => one.owner !== owner),
        now,
        owner,
      );
  const at = isIn ? others.findIndex((one) => one.owner === owner) : -1;
  const isForgotten = isIn && others[at]!.ours === undefined;
  const known = isForgotten
    ? others.with(at, recalled(others, at, guess.javaWaitMs, { ...offer, fences }))
    : others;
  const [head] = known;
  const worn =
    head?.ours !== undefined && isWorn({ deadline: head.deadline, ours: head.ours }, interestMs, now);
  const line = worn ? chainedFrom(now, known) : known;
  const base = baseOf(line, line.at(at), now, guess);
  const own = line[at] ?? { owner, deadline: line.at(-1)?.deadline ?? now };
  const standing = own.ours?.letInMs === offer.letInMs ? own.ours : offer;
  if (own.ours !== undefined && own.ours.keptUntil >= now + interestMs / 2) {
    return standing === own.ours ? line : line.with(at, { ...own, ours: { ...own.ours, ...offer } });
  }
  const contributed = base < now - interestMs / 2 ? now + interestMs - base : interestMs;
  const { letInMs, offeredAt } = standing;
  const ours = { contributed, keptUntil: base + contributed, letInMs, offeredAt, fences };
  const moreMs = contributed - (own.ours?.contributed ?? 0);
  if (at === -1) return [...line, { ...own, deadline: own.deadline! + moreMs, ours }];
  return moved(line, at, moreMs).map((one, place) => (place === at ? { ...one, ours } : one));
}

function againInMs(line: readonly FairPlace[], holder: Held | null, ask: LockAsk, now: number): number {
  const soonest = Math.min(ask.interestMs / 3, foreignLeaseMs(line, holder, ask, now));
  const [head] = line;
  if (head !== undefined && head.owner !== ask.owner) {
    return Math.min(soonest, keptUntil(head) - now);
  }
  return holder === null ? soonest : Math.min(soonest, holder.until - now);
}

/** The client that stands right behind one of Java is not told when that one's lease ends, nor how short it is. */
function foreignLeaseMs(line: readonly FairPlace[], holder: Held | null, ask: LockAsk, now: number): number {
  const place = ask.wait ? line.findIndex((one) => one.owner === ask.owner) : -1;
  if (holder === null || place <= 0 || line[place - 1]!.ours !== undefined) return Infinity;
  return Math.max(SHORTEST_LOOK_MS, holder.until - now);
}

export interface FairStep<A> {
  readonly state: FairLockState;
  readonly answer: A;
  /** Who is notified. */
  readonly told?: OwnerId | undefined;
  /** With which fence it was let in; if it was not, it may ask. */
  readonly letInWith?: number | undefined;
}

export function acquireFair(
  given: FairLockState,
  ask: LockAsk,
  facts: Facts,
  javaWaitMs: number,
): FairStep<Granted | Busy> {
  const { now } = facts;
  const state = remembered(given, now);
  const holder = holderOf(state, facts);
  if (holder?.owner === ask.owner) {
    const fence = state.fence - ask.fences + 1;
    return { state, answer: { ...grantedAnswer(holder, facts), fence, fences: ask.fences } };
  }
  const line = alive(state.line, now, ask.owner);
  const [head] = line;
  if (holder === null && (head === undefined || head.owner === ask.owner)) {
    const fence = nextFence(state.fence, facts);
    const held = { owner: ask.owner, until: now + ask.leaseMs, fence, fences: ask.fences };
    const rest = head === undefined ? line : without(line, 0, head.ours?.contributed ?? 0);
    return {
      state: { ...state, fence: fence + ask.fences - 1, holder: held, line: rest },
      answer: grantedAnswer(held, facts),
      // A lease that may be over before the next in line asks by itself.
      told: ask.leaseMs < ask.interestMs / 3 ? rest[0]?.owner : undefined,
    };
  }
  const leaseEndsAt = holder === null || holder.until === Infinity ? now : holder.until;
  const after = ask.wait ? lined(line, ask, now, { javaWaitMs, leaseEndsAt }) : line;
  const lastMs = (after.at(-1)?.deadline ?? now) - now;
  const first = after[0]?.owner;
  return {
    state: {
      ...state,
      line: after,
      ...(after !== line && {
        rememberedUntil: now + Math.min(LONGEST_MS, Math.max(ask.interestMs, lastMs)) + REMEMBERED_MS,
      }),
    },
    answer: { kind: 'busy', againInMs: againInMs(after, holder, ask, now) },
    // The client that finds the head of a free lock's line dead tells the next.
    told: line !== state.line && holder === null && first !== ask.owner ? first : undefined,
  };
}

function isLately({ letInMs, offeredAt }: Offer, now: number): boolean {
  return letInMs > 0 && now - offeredAt <= letInMs * LATELY;
}

/**
 * Gives back the lock or the place in line. The client that is first in line of a free lock is notified, by a stranger too; of a lock
 * that is given back it is let in, if it has lately offered that.
 */
export function releaseFair(given: FairLockState, owner: OwnerId, facts: Facts): FairStep<Released> {
  const state = remembered(given, facts.now);
  const holder = holderOf(state, facts);
  const held = holder?.owner === owner;
  const place = held ? -1 : state.line.findIndex((one) => one.owner === owner);
  const left =
    place === -1 ? state.line : without(state.line, place, state.line[place]!.ours?.contributed ?? 0);
  const line = alive(left, facts.now);
  const [head] = line;
  if (held && head?.ours !== undefined && isLately(head.ours, facts.now)) {
    const fence = nextFence(state.fence, facts);
    const rest = without(line, 0, head.ours.contributed);
    const { fences, letInMs, offeredAt } = head.ours;
    const next = { owner: head.owner, until: offeredAt + letInMs, fence, fences };
    return {
      state: { ...state, fence: fence + fences - 1, holder: next, line: rest },
      answer: { kind: 'released', others: rest.length },
      told: head.owner,
      letInWith: fence,
    };
  }
  return {
    state: { ...state, holder: held ? null : state.holder, line },
    answer: held ? { kind: 'released', others: line.length } : { kind: 'not-held' },
    told: held || holder === null ? head?.owner : undefined,
  };
}

/** The line as it is after the holder was taken away. */
export function forceFair(given: FairLockState, facts: Facts): FairStep<undefined> {
  const state = remembered(given, facts.now);
  const line = alive(state.line, facts.now);
  return { state: { ...state, line }, answer: undefined, told: line[0]?.owner };
}
