import type { Waiting } from '../../spi/engine/inspector.ts';

/** How many wait, and whom that counts: this process has no waiters, so where only those are known, clients are shown. */
export function showWaiting({ count, counts, clients }: Waiting): string {
  if (counts === 'fleet') return String(count);
  if (clients === undefined) return '?';
  return clients === 0 ? '0' : `${clients} client${clients === 1 ? '' : 's'}`;
}
