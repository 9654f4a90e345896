import type { LineName } from '../../../spi/engine/ticket-line.ts';
import type { OwnerId } from '../../../spi/rule.ts';
import { isUnknown } from './is-unknown.ts';
import type { LineContext } from '../line-context.ts';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2000;

/**
 * Takes a ticket away: repeats the request until the store has answered, or the session is over and the ticket with it.
 *
 * The tempting alternative reports the failure and forgets the ticket. A ticket of a session that lives is never taken away by the
 * store: everything behind it waits for as long as the process lives (CURATOR-335, kazoo 732).
 */
export async function leaveForSure(
  { client, tickets }: LineContext,
  line: LineName,
  id: OwnerId,
  isOver: () => boolean,
): Promise<'left' | 'absent'> {
  for (
    let pauseMs = FIRST_PAUSE_MS, first = true;
    ;
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS), first = false
  ) {
    try {
      const answer = await tickets.leave(line, id);
      // An earlier copy may have been carried out: that the ticket is absent then says nothing about a loss.
      return first ? answer : 'left';
    } catch (error) {
      if (isOver()) return 'left';
      if (!isUnknown(error)) throw error;
      client.events.trouble.emit({ ...line, engine: client.label, owner: id, error });
      // The end of the session, which comes next, takes the ticket away.
      if (client.closed) return 'left';
      await client.sleep(pauseMs);
      if (isOver()) return 'left';
    }
  }
}
