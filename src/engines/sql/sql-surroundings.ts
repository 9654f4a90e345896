import { systemClock, systemRandom } from '../../core/time/clock.ts';
import type { Clock, Random } from '../../spi/clock.ts';

/** The clock and the random source of one engine object, for a test to replace. */
export interface SqlSurroundings {
  readonly clock: Clock;
  readonly random: Random;
  /** Another clock of the database, as an expression in the unit of its dialect. */
  readonly now?: string;
}

export const systemSurroundings: SqlSurroundings = { clock: systemClock, random: systemRandom };
