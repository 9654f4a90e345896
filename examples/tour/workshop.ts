import { processes } from './processes.ts';
import type { Workshop } from './worker.ts';

/** Where the tour's workers live. Scenes speak to them by messages only, and know nothing of it. */
export const workshop: Workshop = processes;
