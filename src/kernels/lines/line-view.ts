import type { SeenTicket } from '../../spi/engine/ticket-line.ts';
import type { LineView } from '../../spi/verbs/line-view.ts';

/** Those who wait, in the order in which a line serves them. A ticket lapses with its session alone. */
export function lineView(waiting: readonly SeenTicket[]): LineView {
  const places = waiting.map(({ id, session, side, permits }) => ({
    owner: id,
    lapsesInMs: Infinity,
    clientId: session,
    ...(side !== undefined && { side }),
    ...(permits !== undefined && { permits }),
  }));
  return { order: 'turns', places };
}
