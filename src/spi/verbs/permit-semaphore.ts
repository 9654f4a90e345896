import type { HoldingVerbs } from './holding.ts';
import type { SemaphoreAsk, SemaphoreLook, TotalMismatch } from './semaphore.ts';

/** The owner id of an acquisition is the permit's id: any process that has it may extend or release the permit. */
export type PermitSemaphoreVerbs = HoldingVerbs<SemaphoreAsk, TotalMismatch>;

/** What a query shows of a permit semaphore. */
export type PermitSemaphoreLook = SemaphoreLook;
