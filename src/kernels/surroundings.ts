/** The real time and chance, for engines: they may not reach into the core for it. */
export { systemClock, systemRandom } from '../core/clock.ts';
