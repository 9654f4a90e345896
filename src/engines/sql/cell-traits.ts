import type { Traits } from '../../spi/engine/traits.ts';

/** What holds for cells in rows, whatever the database: its clock decides, and one queue serves the fleet. */
export const cellTraits = {
  clock: 'server',
  crash: 'lease',
  waiters: 'fleet',
  permitOrder: 'fleet',
  keyspace: 'by-kind',
  // A lease may begin before the moment of its grant (soundness 5), by 20 ms plus 1 % of the lease: 50 ms for 3
  // seconds.
  leaseGranularityMs: 50,
  scope: 'fleet',
} as const satisfies Omit<Traits, 'wakeUp'>;
