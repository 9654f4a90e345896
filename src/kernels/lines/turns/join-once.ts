import type { JoinAnswer, JoinAsk, LineName, TicketLine } from '../../../spi/engine/ticket-line.ts';
import { isUnknown } from './is-unknown.ts';

/**
 * Joins a line, and never twice: a request whose outcome is not known may have made the ticket, so this looks for the ticket by
 * its id before it makes the request again. To repeat the request right away leaves two tickets, and the owner waits behind its
 * own. `isWanted`: whether the owner still waits for a ticket, in the session that it asked in.
 */
export async function joinOnce(
  tickets: TicketLine,
  line: LineName,
  ask: JoinAsk,
  isWanted: () => boolean,
): Promise<JoinAnswer> {
  try {
    return await tickets.join(line, ask);
  } catch (error) {
    if (!isUnknown(error) || !isWanted()) throw error;
    return (await tickets.find(line, ask.id)) ?? tickets.join(line, ask);
  }
}
