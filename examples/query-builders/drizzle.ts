import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Pool } from 'pg';
import { postgres, type PostgresSynchronizers } from 'holdfast/postgres';

/** Locks in the database that Drizzle talks to. Its client is the very pool of pg: those who wait are notified. */
export function locksOverDrizzle<Schema extends Record<string, unknown>>(
  db: NodePgDatabase<Schema> & { readonly $client: Pool },
): PostgresSynchronizers {
  return postgres({ pool: db.$client });
}
