import type { LineName, LineTicket, SeenTicket } from '../../../spi/engine/ticket-line.ts';
import type { ZooKeeperClient } from '../client/zookeeper-client.ts';
import { hasCode } from '../explain-error.ts';
import { decodeTicketData } from '../layout/ticket-data.ts';
import { programOfOwner } from '../layout/ticket-id.ts';
import { sessionName } from '../zookeeper-liveness.ts';

/** What a query shows of a ticket. Undefined for one that has gone since it was listed. */
export async function seenTicket(
  client: ZooKeeperClient,
  { kind }: LineName,
  ticket: LineTicket,
  path: string,
): Promise<SeenTicket | undefined> {
  try {
    const { data, stat } = await client.getData(path);
    return {
      ...ticket,
      ...decodeTicketData(kind, data),
      program: programOfOwner(ticket.id),
      session: sessionName(stat.ephemeralOwner),
      fence: Number(stat.czxid),
      joinedAt: stat.ctimeMs,
    };
  } catch (error) {
    if (hasCode(error, 'NO_NODE')) return undefined;
    throw error;
  }
}
