import type { KeyValue } from '../client/messages/etcd-messages.generated.ts';
import { type TicketInKey, ticketInKey } from '../layout/ticket-keys.ts';
import { decodeTicketValue, type TicketValue } from '../layout/ticket-value.ts';
import { type LineRange, suffixOf } from './line-range.ts';
import type { LineSights } from './line-sights.ts';

/** A ticket of a list of keys, an own one by its owner. Another client's goes by its key and revision where its key comes again. */
export function readTicket(sights: LineSights, kind: string, range: LineRange, kv: KeyValue): TicketInKey {
  const ticket = ticketInKey(kind, suffixOf(range, kv), kv.createRevision);
  const owner = sights.ownerAt(range.prefix, ticket.place, kv.createRevision);
  return owner === undefined ? ticket : { ...ticket, id: owner };
}

/** A ticket with its value, by its owner whichever client it is of. */
export function readSeenTicket(
  sights: LineSights,
  kind: string,
  range: LineRange,
  kv: KeyValue,
): { readonly ticket: TicketInKey; readonly said: TicketValue } {
  const { owner, ...said } = decodeTicketValue(kind, kv.value);
  const ticket = readTicket(sights, kind, range, kv);
  return { ticket: owner === undefined || !ticket.isOurs ? ticket : { ...ticket, id: owner }, said };
}
