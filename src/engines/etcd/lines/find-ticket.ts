import type { LineName } from '../../../spi/engine/ticket-line.ts';
import type { OwnerId } from '../../../spi/rule.ts';
import type { EtcdClient } from '../client/session/etcd-client.ts';
import { foreignTicket, ticketInKey } from '../layout/ticket-keys.ts';
import { type LineRange, listOf, suffixOf } from './line-range.ts';
import type { TicketSight } from './line-sights.ts';

/** The key of the ticket of this id, of whichever client. */
export async function findTicket(
  client: EtcdClient,
  { kind }: LineName,
  range: LineRange,
  id: OwnerId,
): Promise<Pick<TicketSight, 'key' | 'createRevision'> | undefined> {
  const foreign = foreignTicket(id);
  if (foreign !== undefined) return { key: range.prefix + foreign.suffix, createRevision: foreign.revision };
  const { kvs } = await client.range(listOf(range));
  const found = kvs.find((kv) => ticketInKey(kind, suffixOf(range, kv), kv.createRevision).id === id);
  return found && { key: Buffer.from(found.key).toString(), createRevision: found.createRevision };
}
