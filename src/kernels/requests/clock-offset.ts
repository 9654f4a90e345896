import type { Clock } from '../../spi/clock.ts';
import type { Finding } from '../../spi/engine/finding.ts';

/** Leases are counted by the store's clock alone, so that a difference hurts none but readers of logs and of fences. */
const WORTH_TELLING_MS = 500;

/** Asks a store for its time, in milliseconds since the epoch, and compares it with this machine's. */
export async function clockFinding(clock: Clock, ask: () => Promise<number>): Promise<Finding> {
  const askedAt = clock.epochNow();
  const there = await ask();
  const tookMs = clock.epochNow() - askedAt;
  // At some time between the two.
  const offsetMs = there - (askedAt + tookMs / 2);
  const isClose = Math.abs(offsetMs) <= WORTH_TELLING_MS + tookMs / 2;
  const found = `its clock is ${Math.abs(offsetMs).toFixed(0)} ms ${offsetMs < 0 ? 'behind' : 'ahead of'} this machine's (± ${Math.max(1, tookMs / 2).toFixed(0)} ms)`;
  if (isClose) return { level: 'good', about: 'clock', found };
  return {
    level: 'note',
    about: 'clock',
    found,
    advice:
      'Only the clock of the store ends leases, so this does no harm by itself. But it must not step: synchronize it by NTP, with slewing.',
  };
}
