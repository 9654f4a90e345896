import type { Knex } from 'knex';
import type { Connection } from 'mysql2';
import type { PoolClient } from 'pg';
import { mysql, type MysqlSettings, type MysqlSynchronizers } from 'holdfast/mysql';
import { postgres, type PostgresSettings, type PostgresSynchronizers } from 'holdfast/postgres';

/**
 * Locks over connections that each statement borrows from Knex. `db.raw` would take the dollars of PostgreSQL for bindings
 * of its own.
 */
export function locksOverKnex(db: Knex, settings: PostgresSettings = {}): PostgresSynchronizers {
  const pool = async (text: string, values: unknown[]) => {
    const connection = (await db.client.acquireConnection()) as PoolClient;
    try {
      return await connection.query(text, values);
    } finally {
      await db.client.releaseConnection(connection);
    }
  };
  return postgres({ ...settings, pool });
}

/** The same on MySQL or MariaDB. The function returns the rows, or the header with `affectedRows` and `insertId`. */
export function mysqlLocksOverKnex(db: Knex, settings: MysqlSettings = {}): MysqlSynchronizers {
  const pool = async (text: string, values: unknown[]) => {
    const connection = (await db.client.acquireConnection()) as Connection;
    try {
      const [answer] = await connection.promise().query(text, values);
      return answer;
    } finally {
      await db.client.releaseConnection(connection);
    }
  };
  return mysql({ ...settings, pool });
}

/** Changes an account in a transaction of Knex. Returns false if a holder with a larger fence has written before. */
export function addFenced(db: Knex, id: number, amount: number, fence: bigint): Promise<boolean> {
  return db.transaction(async (transaction) => {
    const changed = await transaction('accounts')
      .where({ id })
      .andWhere('fence', '<=', String(fence))
      .update({ balance: transaction.raw('balance + ?', [amount]), fence: String(fence) });
    return changed === 1;
  });
}
