import type { Client } from '../../../core/client.ts';
import type { Timer } from '../../../spi/clock.ts';
import type { RedisDriver } from '../driver.ts';

/**
 * A server that was away is found by all its clients at the same moment: so long they spread their questions. It also
 * makes one of the events of a cluster, whose servers come back one by one.
 */
const SPREAD_MS = 50;

/**
 * Renews all holds as soon as commands get through again. The new connection may lead to a server that has forgotten
 * them, and their holders would believe in them until the next renewal, a third of a lease at most.
 *
 * The tempting alternative is to lose everything at a reconnect. Nearly all reconnects find the same server with the
 * same locks, and every hold of the process would end with each of them.
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
