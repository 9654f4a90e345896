import { lockProtocol } from '../../src/engines/redis/locks/lock-protocol.ts';
import { plainLockForm } from '../../src/engines/redis/locks/plain-lock-form.ts';
import { nextFence } from '../../src/rules/fence.ts';
import { stands } from '../../src/rules/lease.ts';
import { lockRule, type LockState } from '../../src/rules/lock.ts';
import type { Facts } from '../../src/spi/rule.ts';
import type { LockAsk } from '../../src/spi/verbs/lock.ts';
import type { HoldingKind } from './holding-kind.ts';
import { UNIT_MS } from './model-time.ts';

/** A thread of Java. Its holds were entered twice. */
export const JAVA = 'java:1';
export const JAVA_COUNT = '2';

const { verbs: rule } = lockRule({ fair: false });

export function holderOf<S extends Pick<LockState, 'holder'>>(state: S, facts: Facts): S['holder'] {
  return state.holder !== null && stands(state.holder, facts) ? state.holder : null;
}

/** A time without end is written as none. */
export function toldMs(until: number, facts: Facts): number {
  return until === Infinity ? 0 : until - facts.now;
}

export const lockKind: HoldingKind<LockState, LockAsk> = {
  free: { fence: 0, holder: null, queue: [] },
  protocol: (parts) => lockProtocol(parts, plainLockForm(parts)),
  ask: (owner, { leaseUnits, interestUnits, wait, permits }) => ({
    owner,
    leaseMs: leaseUnits * UNIT_MS,
    interestMs: interestUnits * UNIT_MS,
    wait,
    fences: permits,
  }),
  id: ({ owner }) => owner,
  linesUp: () => false,
  fencedMs: ({ holder }, now) =>
    holder === null || holder.owner.startsWith('java:') ? 0 : holder.until - now,
  rule: ({ keys, name }) => {
    const freed = [{ channel: keys.lockChannel(name), payload: '0' }];
    return {
      acquire: (state, ask, facts) => {
        const again = holderOf(state, facts)?.owner === ask.owner;
        // The server keeps no line; who waits is known to the processes that listen.
        const step = rule.acquire(state, { ...ask, wait: false }, facts);
        // Of a grant it knows the last fence alone, which a quorum may have raised since.
        const fence = state.fence - ask.fences + 1;
        const { passedOver: _unknown, ...answer } = { passedOver: 0, ...step.answer };
        return { state: step.state!, answer: again ? { ...answer, fence } : answer };
      },
      // A lease that is over has left nothing behind that could be given back.
      release: (state, { owner }, facts) =>
        holderOf(state, facts)?.owner === owner
          ? {
              state: { ...state, holder: null },
              answer: { kind: 'released', others: 0 },
              sent: freed,
            }
          : { state, answer: { kind: 'not-held' } },
      renew: (state, ask, facts) => {
        const step = rule.renew(state, ask, facts);
        return { state: step.state!, answer: step.answer };
      },
      // A grant is known by the last of its fences, and the fence is raised: the resource refuses the client that had it.
      force: (state, { fence = state.fence, owner }, facts) => {
        const holder = holderOf(state, facts);
        if (holder === null || fence !== state.fence || (owner ?? holder.owner) !== holder.owner) {
          return { state, answer: { kind: 'not-forced' } };
        }
        const view = { owner: holder.owner, fence: state.fence, remainingMs: toldMs(holder.until, facts) };
        return {
          state: { ...state, fence: nextFence(state.fence, facts), holder: null },
          answer: { kind: 'forced', holder: view },
          sent: freed,
        };
      },
      raise: (state, ask, facts) => {
        const step = rule.raise(state, ask, facts);
        return { state: step.state!, answer: step.answer };
      },
    };
  },
  look: (state, facts) => {
    const holder = holderOf(state, facts);
    if (holder === null) return { holder: undefined };
    return {
      holder: { owner: holder.owner, fence: state.fence, remainingMs: toldMs(holder.until, facts) },
    };
  },
  seen: (look) => ({ holder: (look as { holder: unknown }).holder }),
  expected: ({ holder }, now) =>
    holder === null || holder.until <= now
      ? {}
      : {
          [holder.owner]: holder.owner.startsWith('java:') ? JAVA_COUNT : '1',
          remainingMs: holder.until - now,
        },
  stored: (stored, { name }) => {
    const fields = stored.pairs(name);
    return fields.length === 0
      ? {}
      : { ...Object.fromEntries(fields), remainingMs: stored.remainingMs(name) };
  },
  java: async (world, state, { turn, units }, facts) => {
    const { keys, name } = world;
    const holder = holderOf(state, facts);
    if (holder === null && turn < 4) {
      await world.command(name, 'HSET', JAVA, JAVA_COUNT);
      // A client has taken its time away: a lock that never ends by itself.
      const until = turn === 0 ? Infinity : facts.now + units * UNIT_MS;
      if (turn > 0) await world.command(name, 'PEXPIRE', units * UNIT_MS);
      // The fenced lock counts; a plain one knows no fences.
      const counts = state.fence > 0 && turn === 1;
      if (counts) await world.command(keys.token(name), 'INCR');
      const fence = state.fence + (counts ? 1 : 0);
      return { state: { ...state, fence, holder: { owner: JAVA, until, fence, fences: 1 } } };
    }
    if (holder?.owner !== JAVA) return { state };
    await world.command(name, 'DEL');
    await world.publish(keys.lockChannel(name), '0');
    return { state: { ...state, holder: null }, sent: [{ channel: keys.lockChannel(name), payload: '0' }] };
  },
};
