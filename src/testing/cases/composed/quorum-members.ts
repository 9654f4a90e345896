import type { FencedLock } from '../../../index.ts';
import type { Bench } from '../../harness/bench.ts';
import type { ComposedKinds } from './composed-cases.ts';

/** What a case of the quorum lock works with. */
export type QuorumBench = Bench<ComposedKinds>;

/**
 * No lease in this suite is longer than so many units. Stores must be up for as long before it begins, because a member
 * that has lost its data might have granted what another owner still holds.
 */
export const LONGEST_LEASE_UNITS = 12;

/** Opens an engine object of its own, whose quorum locks accept members as old as the suite makes them. */
export function openOne(bench: QuorumBench, label: string): ReturnType<QuorumBench['open']> {
  return bench.open({ label, renewalLeaseMs: LONGEST_LEASE_UNITS * bench.unit });
}

/** Three engine objects. */
export function openThree(bench: QuorumBench): Promise<Awaited<ReturnType<typeof openOne>>[]> {
  return Promise.all(['one', 'two', 'three'].map((label) => openOne(bench, label)));
}

/** One member on each of several engine objects. They stand for independent stores: each lock has a name of its own. */
export async function members(bench: QuorumBench, count = 3): Promise<FencedLock[]> {
  const labels = ['one', 'two', 'three', 'four', 'five'].slice(0, count);
  const renewalLeaseMs = 3 * bench.unit;
  const clients = await Promise.all(labels.map((label) => bench.open({ label, renewalLeaseMs })));
  return clients.map((client, at) => client.lock(`${bench.name}-${at}`));
}

/** Members that cannot answer: their engine objects are closed. */
export async function broken(bench: QuorumBench, ...labels: readonly string[]): Promise<FencedLock[]> {
  return Promise.all(
    labels.map(async (label) => {
      const client = await openOne(bench, label);
      await client.close();
      return client.lock(`${bench.name}-${label}`);
    }),
  );
}
