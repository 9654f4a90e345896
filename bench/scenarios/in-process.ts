import { asyncMutex, asyncSemaphore } from '../contestants/async-mutex.ts';
import { holdfastMemory } from '../contestants/holdfast-memory.ts';
import type { Scenario } from '../scenario.ts';

const common = {
  engine: 'memory',
  baseline: asyncMutex.name,
  contestants: [asyncMutex, asyncSemaphore, holdfastMemory],
};

const waiters = 64;

export const uncontendedPair: Scenario = {
  ...common,
  name: 'uncontended pair',
  pairs: 1_000,
  perform: (bout, pairs) => bout.loop(pairs),
};

export const manyWaiters: Scenario = {
  ...common,
  name: `${waiters} waiters`,
  pairs: waiters * 100,
  perform: (bout, pairs) => Promise.all(Array.from({ length: waiters }, () => bout.loop(pairs / waiters))),
};
