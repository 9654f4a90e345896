/** The real time and chance, for engines: they may not reach into the core for it. */
export { systemClock, systemRandom } from '../core/clock.ts';
export { onAbort } from '../core/aborts.ts';
export { inTime, NoAnswerError } from '../core/in-time.ts';
export { StoreFullError } from '../core/store-full-error.ts';
/** The engine object that the protocols of an engine serve. */
export { type Client, closedError } from '../core/client.ts';
