import { expect, test } from 'vitest';
import type { EtcdClient } from '../../../../src/engines/etcd/client/session/etcd-client.ts';
import { leaseName } from '../../../../src/engines/etcd/layout/ticket-keys.ts';
import { deleteTicket } from '../../../../src/engines/etcd/lines/delete-ticket.ts';

const LEASE = 0x4711n;

/** The leases that are ended with a ticket of a permit semaphore. */
async function endedWith(key: string): Promise<readonly unknown[]> {
  const ended: unknown[] = [];
  const client = {
    txn: async () => ({
      succeeded: true,
      header: { revision: 8n },
      responses: [{ responseDeleteRange: { prevKvs: [{ lease: LEASE }] } }],
    }),
    call: async (_method: unknown, request: unknown) => ended.push(request),
  } as unknown as EtcdClient;
  await deleteTicket(client, { key, createRevision: 7n }, 'permitSemaphore');
  return ended;
}

test('the lease of a permit ends with it, and no lease that other keys may have', async () => {
  const owner = `${'0123456789abcdef'.repeat(2)}:1`;
  expect(await endedWith(`seats/4712-${owner}-1of3-id`)).toEqual([{ ID: LEASE }]);
  // Of the session of its own client.
  expect(await endedWith(`seats/${leaseName(LEASE)}-${owner}-1of3-id`)).toEqual([]);
  // Of another program, whose session the lease may be.
  expect(await endedWith('seats/worker-1')).toEqual([]);
  expect(await endedWith('seats/4712')).toEqual([]);
});
