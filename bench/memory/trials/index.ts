import type { Trial } from '../../trial.ts';
import { costOfTracingInMemory } from './cost-of-tracing.ts';
import { growthOfLocks, growthOfWaiters } from './growth.ts';
import { manyWaiters, uncontendedPair } from './pairs.ts';
import { sectionsOfRun } from './sections.ts';

/** Every trial that needs nothing but this process. */
export const memoryTrials: readonly Trial[] = [
  uncontendedPair,
  costOfTracingInMemory,
  manyWaiters,
  sectionsOfRun,
  growthOfWaiters,
  growthOfLocks,
];
