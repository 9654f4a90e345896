import type { Client } from '../../core/client.ts';
import type { PushedSession } from '../../core/pushed-session.ts';
import type { ProtocolTraits } from '../../spi/engine/protocol-traits.ts';
import type { TicketLine } from '../../spi/engine/ticket-line.ts';

/** What all lines of one engine object share. */
export interface LineContext {
  readonly client: Client;
  readonly session: PushedSession;
  readonly tickets: TicketLine;
  /** What the layout asks of owner ids, and whether waiters of one process share a ticket. */
  readonly traits?: Pick<Partial<ProtocolTraits>, 'newOwner' | 'batchesWaiters' | 'mostPermits'>;
}
