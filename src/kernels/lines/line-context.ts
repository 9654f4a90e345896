import type { Client } from '../../core/client.ts';
import type { PushedSession } from '../../core/pushed-session.ts';
import type { TicketLine } from '../../spi/engine/ticket-line.ts';

/** What all lines of one engine object share. */
export interface LineContext {
  readonly client: Client;
  readonly session: PushedSession;
  readonly tickets: TicketLine;
}
