import { systemClock } from '../../../core/time/clock.ts';
import type { HolderSighting, Kind } from '../../../spi/engine/inspector.ts';
import { holderName } from '../../../spi/holder-name.ts';
import { readDuration, showDuration } from '../../duration.ts';
import type { Command } from '../command.ts';
import { EXIT } from '../../exit-codes.ts';
import type { InspectedLocks } from '../../open-locks.ts';
import { say } from '../../output/output.ts';
import { lookUp, readKind, readName } from '../../queries/lookup.ts';
import { Poller } from '../../../core/time/poller.ts';
import { printable } from '../../queries/sighting-table.ts';
import { withLocks } from '../../queries/with-locks.ts';

/** How often to look in any case: hints may be missed, and the end of a lease sends none. */
const LOOK_MS = 1_000;

/** Waits until the name is free. */
export const wait: Command = (given, address) => {
  const name = readName(given, 'wait');
  const most = given.options.get('wait');
  const untilMs = most === undefined ? Infinity : systemClock.now() + readDuration(most, '--wait');
  return withLocks(address, async (locks) => {
    const holders = await waitUntilFree(locks, name, readKind(given), untilMs);
    if (holders.length === 0) return EXIT.ok;
    say(`${printable(name)} is still held after ${most}: ${holders.map(holderText).join(', ')}`);
    return EXIT.notAcquired;
  });
};

function holderText(holder: HolderSighting): string {
  const { heldForMs } = holder;
  const age = heldForMs === undefined ? '' : ` for ${showDuration(heldForMs)}`;
  return `by ${printable(holderName(holder))}${age}`;
}

/** Answers with the holders that are left when the time is over; with none if it is free. */
async function waitUntilFree(
  locks: InspectedLocks,
  name: string,
  kind: Kind | undefined,
  until: number,
): Promise<readonly HolderSighting[]> {
  const poller = new Poller(systemClock);
  // Watches before the first look, so that no change between the two is missed.
  const unwatch = await locks.inspector.changes((change) => {
    if (change.what === 'anything' || change.name === name) poller.hint();
  });
  try {
    for (;;) {
      const found = await lookUp(locks, name, kind);
      const holders = found.flatMap((one) => one.holders);
      if (holders.length === 0) return holders;
      const leftMs = until - systemClock.now();
      if (leftMs <= 0) return holders;
      const leases = holders.map(({ remainingMs }) => remainingMs);
      await poller.wait(Math.min(LOOK_MS, leftMs, Math.max(1, ...leases)));
    }
  } finally {
    unwatch();
  }
}
