import { oneProcess } from './one-process.ts';
import type { Workshop } from './worker.ts';

/**
 * Where the tour's workers live. Scenes speak to them by messages only, so moving them to processes of their own takes
 * an engine that reaches across processes and a change of this line.
 */
export const workshop: Workshop = oneProcess;
