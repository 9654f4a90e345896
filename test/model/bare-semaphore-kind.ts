import { bareSemaphoreProtocol } from '../../src/engines/redis/locks/bare-semaphore-protocol.ts';
import { nextFence } from '../../src/rules/fence.ts';
import type { SemaphoreAsk } from '../../src/spi/verbs/semaphore.ts';
import { counted, type CounterState } from './counter-state.ts';
import type { HoldingKind } from './holding-kind.ts';
import { javaBareSemaphore } from './java-bare-semaphore.ts';
import { UNIT_MS } from './model-time.ts';

const TOTAL = 3;

export const bareSemaphoreKind: HoldingKind<CounterState, SemaphoreAsk> = {
  free: { fence: 0, free: undefined, until: Infinity, taken: {} },
  protocol: (parts) => bareSemaphoreProtocol(parts),
  ask: (owner, { leaseUnits, interestUnits, wait, permits }) => ({
    owner,
    leaseMs: leaseUnits * UNIT_MS,
    interestMs: interestUnits * UNIT_MS,
    wait,
    permits,
    total: TOTAL,
  }),
  id: ({ owner }) => owner,
  linesUp: () => true,
  ownerless: true,
  rule: ({ keys, name }) => {
    const sent = (free: number) => [{ channel: keys.semaphoreChannel(name), payload: String(free) }];
    return {
      acquire: (given, { owner, permits, total, leaseMs, interestMs }, facts) => {
        const granted = { kind: 'granted' as const, fences: 1, remainingMs: leaseMs };
        const own = given.taken[owner];
        const state = counted(given, facts);
        if (own !== undefined) return { state, answer: { ...granted, fence: own.fence } };
        const first = state.free === undefined ? sent(total) : [];
        const free = state.free ?? total;
        if (free < permits) {
          return {
            state: { ...state, free },
            answer: { kind: 'busy', againInMs: interestMs / 3 },
            sent: first,
          };
        }
        const fence = nextFence(state.fence, facts);
        return {
          state: {
            ...state,
            fence,
            free: free - permits,
            taken: { ...state.taken, [owner]: { permits, fence } },
          },
          answer: { ...granted, fence },
          sent: first,
        };
      },
      release: (given, { owner }, facts) => {
        const state = counted(given, facts);
        const { [owner]: own, ...taken } = state.taken;
        if (own === undefined) return { state, answer: { kind: 'not-held' } };
        const free = (state.free ?? 0) + own.permits;
        return {
          state: { ...state, free, taken },
          answer: { kind: 'released', others: 0 },
          sent: free > 0 ? sent(free) : [],
        };
      },
      // Leases end in the clients.
      renew: (state, { leaseMs }) => ({ state, answer: { kind: 'renewed', remainingMs: leaseMs } }),
    };
  },
  look: (state, facts) => ({ free: counted(state, facts).free }),
  seen: (look) => ({ free: (look as { free: number | undefined }).free }),
  expected: (state, now) => {
    const { free, until } = counted(state, { now });
    return free === undefined ? {} : { free, remainingMs: until - now };
  },
  stored: (stored, { name }) => {
    const free = stored.text(name);
    return free === undefined ? {} : { free: Number(free), remainingMs: stored.remainingMs(name) };
  },
  java: javaBareSemaphore,
};
