import type { Knex } from 'knex';
import type { PoolClient } from 'pg';
import { postgres, type PostgresSynchronizers } from 'holdfast/postgres';

/**
 * Locks in the database that Knex talks to. `db.raw` would take the dollars of PostgreSQL for its own bindings, so a
 * connection is borrowed from its pool for each statement.
 */
export function locksOverKnex(db: Knex): PostgresSynchronizers {
  return postgres({
    pool: async (text: string, values: unknown[]) => {
      const connection = (await db.client.acquireConnection()) as PoolClient;
      try {
        return await connection.query(text, values);
      } finally {
        await db.client.releaseConnection(connection);
      }
    },
  });
}
