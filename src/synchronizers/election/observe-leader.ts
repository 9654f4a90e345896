import { onAbort } from '../../core/async/aborts.ts';
import { type Client, closedError } from '../../core/client.ts';
import { leaderOf } from './leader-of.ts';
import type { ErrorSubject } from '../../spi/errors.ts';
import type { Protocol, Unwatch } from '../../spi/engine/protocol.ts';
import type { Leader } from '../../spi/synchronizers.ts';
import type { ElectionLook, ElectionVerbs } from '../../spi/verbs/election.ts';

/** Yields the leader now and after each change, until the caller stops, the signal aborts or the client closes. */
export async function* observeLeader<V>(
  client: Client,
  protocol: Protocol<ElectionVerbs, ElectionLook>,
  name: string,
  subject: ErrorSubject,
  signal: AbortSignal | undefined,
): AsyncGenerator<Leader<V> | null, undefined, undefined> {
  signal?.throwIfAborted();
  client.throwIfClosed(subject);
  const sleeper = client.makeSleeper();
  const unlisten = signal && onAbort(signal, sleeper.wake);
  let unwatch: Unwatch | undefined;
  let seen: string | undefined;
  try {
    unwatch = await protocol.watch(name, client.ids.next(), sleeper.wake);
    for (;;) {
      signal?.throwIfAborted();
      if (client.closed) throw closedError(subject);
      const { leader } = await protocol.look(name);
      const now = leader === undefined ? 'none' : JSON.stringify([leader.owner, leader.value]);
      if (now !== seen) {
        seen = now;
        yield leader === undefined ? null : leaderOf<V>(leader);
        // Something may have changed while the caller was busy with it: look again before sleeping.
        continue;
      }
      // The end of a leader's lease sends no wake-up.
      const pollMs = client.renewalLeaseMs / 3;
      await sleeper.sleep(client.clock.now() + Math.min(leader?.remainingMs ?? pollMs, pollMs));
    }
  } finally {
    unwatch?.();
    unlisten?.();
    client.releaseSleeper(sleeper);
  }
}
