import type { ErrorSubject } from '../../spi/errors.ts';
import type { Client } from '../client.ts';

/** So many names are enough to find the mistake; a leak in every request must not fill the log as well. */
const MOST_NAMES = 100;
const warned = new WeakMap<Client, Set<string>>();

/** Warns of a hold that was collected without a release, once for each lock of an engine object. */
export function warnOfForgotten({ resource, engine }: ErrorSubject, client: Client): void {
  const names = warned.get(client) ?? new Set<string>();
  warned.set(client, names);
  if (names.has(resource) || names.size === MOST_NAMES) return;
  names.add(resource);
  process.emitWarning(
    `${resource} (${engine}) was acquired and never released: its hold was garbage-collected. It is released now. ` +
      'Keep the hold for as long as you need it and release it, or use run() or await using.',
    { type: 'HoldfastWarning', code: 'HOLDFAST_FORGOTTEN' },
  );
}
