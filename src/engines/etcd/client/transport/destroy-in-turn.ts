import type { ClientHttp2Session } from 'node:http2';
import type { Clock } from '../../../../spi/clock.ts';

/**
 * Destroys a session in a turn of the event loop of its own.
 *
 * The tempting alternative destroys it at once. Events of a session, and the promises that they settle, run while the library below Node
 * still reads the bytes that brought them. A session that is destroyed there may free what is being read: a process with many
 * connections to a cluster that changed its leader ended with "corrupted size vs. prev_size" (Node 20.20.2).
 */
export function destroyInTurn(session: ClientHttp2Session, clock: Clock): void {
  clock.timer(0, () => session.destroy());
}
