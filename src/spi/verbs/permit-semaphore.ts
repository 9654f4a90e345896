import type { HoldingVerbs } from './holding.ts';
import type { SemaphoreAsk, SemaphoreLook, TotalMismatch } from './semaphore.ts';

/** The owner id of an acquisition is the permit's id: whoever has it may extend or release the permit, from anywhere. */
export type PermitSemaphoreVerbs = HoldingVerbs<SemaphoreAsk, TotalMismatch>;

export type PermitSemaphoreLook = SemaphoreLook;
