import { availableParallelism, cpus, loadavg } from 'node:os';

/** What the numbers depend on and a reader must know. */
export function machine(): { node: string; cpu: string; cores: number; load: number } {
  return {
    node: process.versions.node,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    load: loadavg()[0] ?? 0,
  };
}
