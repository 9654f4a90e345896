import { compareCompareTarget, etcdCalls } from '../client/messages/etcd-messages.generated.ts';
import type { EtcdClient } from '../client/session/etcd-client.ts';
import { isOwnTicketKey, leaseName } from '../layout/ticket-keys.ts';
import type { TicketSight } from './line-sights.ts';

/**
 * Deletes a ticket if it is still the one that was seen: a key of another program may be made again under its name.
 *
 * A permit has a lease of its own, which has no other key: it is ended too, or it would stand in the store for the rest of its time.
 */
export async function deleteTicket(
  client: EtcdClient,
  { key: name, createRevision }: Pick<TicketSight, 'key' | 'createRevision'>,
  kind: string,
): Promise<{ readonly answer: 'left' | 'absent'; readonly revision: bigint }> {
  const key = Buffer.from(name);
  const prevKv = kind === 'permitSemaphore';
  const { succeeded, responses, header } = await client.txn({
    compare: [{ target: compareCompareTarget.CREATE, key, createRevision }],
    success: [{ requestDeleteRange: { key, prevKv } }],
  });
  const { revision } = header!;
  if (!succeeded) return { answer: 'absent', revision };
  const lease = prevKv ? responses[0]?.responseDeleteRange?.prevKvs[0]?.lease : undefined;
  // A key that another program made below this name may be bound to its session: what else that has would go too.
  const isOfPermit = lease !== undefined && isOwnTicketKey(name) && !name.includes(`/${leaseName(lease)}-`);
  // An error is no news: such a lease ends by itself.
  if (isOfPermit) void client.call(etcdCalls.leaseRevoke, { ID: lease }).catch(() => undefined);
  return { answer: 'left', revision };
}
