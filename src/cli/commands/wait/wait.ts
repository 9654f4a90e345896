import { systemClock } from '../../../core/time/clock.ts';
import type { Kind } from '../../../spi/engine/inspector.ts';
import { readDuration } from '../../duration.ts';
import type { Command } from '../command.ts';
import { EXIT } from '../../exit-codes.ts';
import type { InspectedLocks } from '../../open-locks.ts';
import { lookUp, readKind, readName } from '../../queries/lookup.ts';
import { Poller } from '../../queries/poller.ts';
import { withLocks } from '../../queries/with-locks.ts';

/** How often to look in any case: hints may be missed, and the end of a lease sends none. */
const LOOK_MS = 1_000;

/** Waits until the name is free. */
export const wait: Command = (given, address) => {
  const name = readName(given, 'wait');
  const most = given.options.get('wait');
  const untilMs = most === undefined ? Infinity : systemClock.now() + readDuration(most, '--wait');
  return withLocks(address, async (locks) =>
    (await waitUntilFree(locks, name, readKind(given), untilMs)) ? EXIT.ok : EXIT.notAcquired,
  );
};

async function waitUntilFree(
  locks: InspectedLocks,
  name: string,
  kind: Kind | undefined,
  until: number,
): Promise<boolean> {
  const poller = new Poller(systemClock);
  // Watches before the first look, so that no change between the two is missed.
  const unwatch = await locks.inspector.changes((change) => {
    if (change.what === 'anything' || change.name === name) poller.hint();
  });
  try {
    for (;;) {
      const found = await lookUp(locks, name, kind);
      const leases = found.flatMap(({ holders }) => holders.map(({ remainingMs }) => remainingMs));
      if (leases.length === 0) return true;
      const leftMs = until - systemClock.now();
      if (leftMs <= 0) return false;
      await poller.wait(Math.min(LOOK_MS, leftMs, Math.max(1, ...leases)));
    }
  } finally {
    unwatch();
  }
}
