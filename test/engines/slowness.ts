import { availableParallelism, loadavg } from 'node:os';

/** So many processes want each core while the tests run alone. */
const USUAL_LOAD = 2;
const MOST = 2;

/**
 * How much longer than on a quiet machine a process, and the server beside it, may have to wait for a core: a factor for the
 * units of the suites. A case that stood still is run again, but only this process is watched: a server that does not get to run
 * shows as a late answer, and three late runs are a failure. Units that are always long would cost every run minutes.
 */
export const slowness = slownessAt(loadavg()[0]!, availableParallelism());

/**
 * In whole quarters. The tempting alternative, the quotient itself, makes 2035.0000000000002 ms of 2 s at a load of 4.07 on two
 * cores, and engines refuse a time-out that is no whole number: every case of a file was red at some loads and green at others.
 */
export function slownessAt(load: number, cores: number): number {
  return Math.min(MOST, Math.max(1, Math.ceil((4 * load) / cores / USUAL_LOAD) / 4));
}
