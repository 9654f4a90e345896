import type { Connection as MysqlConnection } from 'mysql2';
import type { Client } from 'pg';
import { QueryTypes, Sequelize } from 'sequelize';
import { mysql, type MysqlSettings, type MysqlSynchronizers } from 'holdfast/mysql';
import { postgres, type PostgresSettings, type PostgresSynchronizers } from 'holdfast/postgres';

export function openSequelize(url: string): Sequelize {
  return new Sequelize(url, { logging: false });
}

/**
 * Locks over connections that each statement borrows from Sequelize. `sequelize.query` would take the dollars of
 * PostgreSQL for bindings of its own, and put the values into the message of its errors.
 */
export function locksOverSequelize(
  { connectionManager }: Sequelize,
  settings: PostgresSettings = {},
): PostgresSynchronizers {
  const pool = async (text: string, values: unknown[]) => {
    const connection = (await connectionManager.getConnection({ type: 'write' })) as Client;
    try {
      return await connection.query(text, values);
    } finally {
      connectionManager.releaseConnection(connection);
    }
  };
  return postgres({ ...settings, pool });
}

/** The same on MySQL or MariaDB. The function returns the rows, or the header with `affectedRows` and `insertId`. */
export function mysqlLocksOverSequelize(
  { connectionManager }: Sequelize,
  settings: MysqlSettings = {},
): MysqlSynchronizers {
  const pool = async (text: string, values: unknown[]) => {
    const connection = (await connectionManager.getConnection({ type: 'write' })) as MysqlConnection;
    try {
      const [answer] = await connection.promise().query(text, values);
      return answer;
    } finally {
      connectionManager.releaseConnection(connection);
    }
  };
  return mysql({ ...settings, pool });
}

/** Changes an account in a transaction of Sequelize. Returns false if a holder with a larger fence has written before. */
export function addFenced(sequelize: Sequelize, id: number, amount: number, fence: bigint): Promise<boolean> {
  return sequelize.transaction(async (transaction) => {
    const [, changed] = await sequelize.query(
      'update accounts set balance = balance + $amount, fence = $fence where id = $id and fence <= $fence',
      { bind: { id, amount, fence: String(fence) }, type: QueryTypes.UPDATE, transaction },
    );
    return changed === 1;
  });
}
