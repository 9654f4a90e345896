import type { Scenario } from '../scenario.ts';
import { manyWaiters, uncontendedPair } from './in-process.ts';

/** Every scenario there is. */
export const scenarios: readonly Scenario[] = [uncontendedPair, manyWaiters];
