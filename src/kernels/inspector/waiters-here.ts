import type { Client } from '../../core/client.ts';
import { Turnstile } from '../../core/queues/turnstile.ts';

/** Counts the waiters of this process that stand behind a turnstile, where the store cannot see them. */
export function waitersHere(client: Client, kind: string, name: string): number {
  return Turnstile.waiting({ client, kind, name });
}
