import type { Waiting } from '../../spi/engine/inspector.ts';

/**
 * How many wait, and what that counts. This process has no waiters: where the engine knows only those, shows clients.
 */
export function showWaiting({ count, counts, clients }: Waiting): string {
  if (counts === 'fleet') return String(count);
  if (clients === undefined) return '?';
  return clients === 0 ? '0' : `${clients} client${clients === 1 ? '' : 's'}`;
}
