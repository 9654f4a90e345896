import type { LineName } from '../../../spi/engine/ticket-line.ts';
import type { OwnerId } from '../../../spi/rule.ts';
import type { EtcdClient } from '../client/session/etcd-client.ts';
import { foreignTicket } from '../layout/ticket-keys.ts';
import { type LineRange, listOf } from './line-range.ts';
import type { LineSights, TicketSight } from './line-sights.ts';
import { readSeenTicket } from './read-ticket.ts';

/** The key of the ticket of this id, of whichever client. */
export async function findTicket(
  client: EtcdClient,
  sights: LineSights,
  { kind }: LineName,
  range: LineRange,
  id: OwnerId,
): Promise<Pick<TicketSight, 'key' | 'createRevision'> | undefined> {
  const foreign = foreignTicket(id);
  if (foreign !== undefined) return { key: range.prefix + foreign.suffix, createRevision: foreign.revision };
  const { kvs, header } = await client.range({ ...listOf(range), keysOnly: false });
  sights.note(header!.revision);
  const found = kvs.find((kv) => readSeenTicket(sights, kind, range, kv).ticket.id === id);
  return found && { key: Buffer.from(found.key).toString(), createRevision: found.createRevision };
}
