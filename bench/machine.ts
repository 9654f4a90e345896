import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';

/** What the numbers depend on and a reader must know. */
export interface Machine {
  readonly node: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
}

export function machine(): Machine {
  return {
    node: process.versions.node,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 1e9),
    // Without what a vendor adds to the number of its kernel.
    system: `${type()} ${release().split('-')[0]}`,
  };
}

/** How many threads wanted a processor in the last minute, on average, those of this run included. */
export function load(): number {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100;
}
