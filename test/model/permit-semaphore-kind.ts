import { permitsProtocol } from '../../src/engines/redis/locks/permits-protocol.ts';
import { nextFence } from '../../src/rules/fence.ts';
import { grantedAnswer } from '../../src/rules/lease.ts';
import { permitSemaphoreRule } from '../../src/rules/permit-semaphore.ts';
import type { OwnerId } from '../../src/spi/rule.ts';
import type { SemaphoreAsk } from '../../src/spi/verbs/semaphore.ts';
import type { HoldingKind } from './holding-kind.ts';
import { javaPermitSemaphore } from './java-permit-semaphore.ts';
import { UNIT_MS } from './model-time.ts';
import { type Permit, type RedisPermitsState, takenBy } from './permits-state.ts';

const { verbs: rule } = permitSemaphoreRule;
const TOTAL = 3;
/** A permit that is good without end has a deadline far ahead of any other. */
const FOREVER_MS = 900_000_000_000_000;

function endless(ms: number): number {
  return ms > FOREVER_MS ? Infinity : ms;
}

/** Several permits of one owner differ in their last two bytes. */
function idsOf({ owner, permits }: Permit): readonly OwnerId[] {
  return Array.from({ length: permits }, (_, at) =>
    permits === 1 ? owner : owner.slice(0, 28) + at.toString(16).padStart(4, '0'),
  );
}

/** Sixteen bytes that happen to be text are shown as such. */
function idOf(member: string): OwnerId {
  return member.length === 16 ? Buffer.from(member).toString('hex') : member;
}

const byOwner = (a: { readonly owner: OwnerId }, b: { readonly owner: OwnerId }) =>
  a.owner < b.owner ? -1 : 1;

export const permitSemaphoreKind: HoldingKind<RedisPermitsState, SemaphoreAsk> = {
  free: { fence: 0, total: undefined, holders: [] },
  protocol: (parts) => permitsProtocol(parts, 'permitSemaphore'),
  ask: (owner, { leaseUnits, interestUnits, wait, permits, mistaken }) => {
    const total = mistaken ? TOTAL - 1 : TOTAL;
    return {
      owner,
      leaseMs: leaseUnits * UNIT_MS,
      interestMs: interestUnits * UNIT_MS,
      wait,
      permits: Math.min(permits, total),
      total,
    };
  },
  id: ({ owner }) => owner,
  // The order is that of each client by itself.
  linesUp: () => true,
  rule: ({ keys, name }) => {
    const sent = (free: number) =>
      free > 0 ? [{ channel: keys.semaphoreChannel(name), payload: String(free) }] : [];
    return {
      acquire: (state, ask, facts) => {
        const standing = state.holders.filter(({ until }) => until > facts.now);
        const own = standing.find(({ owner }) => owner === ask.owner);
        if (own !== undefined) {
          // Which fence it was has not been kept.
          const fence = nextFence(state.fence, facts);
          return { state: { ...state, fence }, answer: { ...grantedAnswer(own, facts), fence } };
        }
        const total = state.total ?? ask.total;
        const first = state.total === undefined ? sent(total) : [];
        if (total !== ask.total) return { state, answer: { kind: 'mismatch', total } };
        const free = total - takenBy(standing);
        const back = standing.length < state.holders.length ? sent(free) : [];
        const now = { fence: state.fence, total, holders: standing, queue: [] };
        const step = rule.acquire(now, { ...ask, wait: false }, facts);
        return { state: step.state!, answer: step.answer, sent: [...first, ...back] };
      },
      release: (state, { owner }, facts) => {
        const own = state.holders.find((held) => held.owner === owner);
        if (own === undefined) return { state, answer: { kind: 'not-held' } };
        const holders = state.holders.filter((held) => held !== own);
        const free = state.total! - takenBy(holders);
        return {
          state: { ...state, holders },
          answer: own.until > facts.now ? { kind: 'released', others: 0 } : { kind: 'not-held' },
          sent: sent(free),
        };
      },
      renew: (state, ask, facts) => {
        const { answer, state: after } = rule.renew({ ...state, total: 0, queue: [] }, ask, facts);
        return { state: { ...state, holders: after!.holders }, answer };
      },
    };
  },
  look: ({ total, holders }, { now }) => {
    const standing = holders.filter(({ until }) => until > now);
    return {
      total,
      taken: takenBy(standing),
      holders: standing
        .map(({ owner, until, permits }) => ({ owner, fence: 0, remainingMs: until - now, permits }))
        .toSorted(byOwner),
    };
  },
  seen: (look) => {
    const { total, taken, holders } = look as {
      total: number;
      taken: number;
      holders: readonly { owner: OwnerId; remainingMs: number }[];
    };
    return {
      total,
      taken,
      holders: holders.map((one) => ({ ...one, remainingMs: endless(one.remainingMs) })).toSorted(byOwner),
    };
  },
  expected: ({ total, holders }, now) => ({
    free: total === undefined ? null : total - takenBy(holders),
    permits: holders
      .flatMap((held) => idsOf(held).map((owner) => ({ owner, remainingMs: held.until - now })))
      .toSorted(byOwner),
  }),
  stored: (stored, { keys, name }) => ({
    free: stored.text(name) === undefined ? null : Number(stored.text(name)),
    permits: [...stored.deadlines(keys.permitDeadlines(name))]
      .map(([member, ms]) => ({ owner: idOf(member), remainingMs: endless(ms) }))
      .toSorted(byOwner),
  }),
  java: javaPermitSemaphore,
};
