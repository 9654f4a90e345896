import type { Client } from '../../../core/client.ts';
import type { Timer } from '../../../spi/clock.ts';
import type { RedisDriver } from '../driver.ts';

/**
 * All clients of a server find it again at the same moment: each waits a random part of this time before it renews. The
 * delay also merges the events of a cluster, whose servers come back one by one.
 */
const SPREAD_MS = 50;

/**
 * Renews all holds as soon as a connection is back. The race: the new connection may lead to a server that has lost the
 * holds, and their holders would rely on them until the next renewal, a third of a lease away at most.
 *
 * The tempting alternative is to report every hold as lost at a reconnect. Nearly all reconnects find the same server with
 * the same locks, and each of them would end every hold of the process.
 */
export function renewAfterReconnect({ clock, random, keeper }: Client, driver: RedisDriver): () => void {
  let timer: Timer | undefined;
  const stopListening = driver.onReconnect(() => {
    timer ??= clock.timer(random.fraction() * SPREAD_MS, () => {
      timer = undefined;
      keeper.askAboutAll();
    });
  });
  return () => {
    stopListening();
    timer?.cancel();
  };
}
