import type { Barrier, Synchronizers } from '../../../index.ts';
import type { Bench } from '../../harness/bench.ts';

/** A client that offers barriers. */
export type BarrierClient = Synchronizers<'barrier'>;

/** The barrier of a case. */
export const openBarrier = (client: BarrierClient, name: string, parties: number): Barrier =>
  client.barrier(name, { parties });

/** Resolves when so many parties wait at the barrier. */
export async function untilArrived(bench: Bench<'barrier'>, barrier: Barrier, count: number): Promise<void> {
  await bench.until(async () => (await barrier.waiting()) === count);
}

/** Orders the indices of arrivals. */
export function ascending(one: number, other: number): number {
  return one - other;
}
