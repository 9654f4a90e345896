import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { type MariadbServer, startMariadb } from '../fixtures/sql/mariadb-server.ts';
import type { FailingError, OrmGround } from './orm-cases.ts';

const NUMBERS: Readonly<Record<FailingError, number>> = { deadlock: 1213, full: 1114, 'read-only': 1290 };

/** A MariaDB for the cases of ORMs. */
export async function startMariadbGround(): Promise<
  OrmGround & { readonly server: MariadbServer; stop(): Promise<void> }
> {
  const server = await startMariadb();
  const admin = await createConnection({ uri: server.url });
  const run = async (...statements: readonly string[]) => {
    let rows: unknown = [];
    for (const sql of statements) [rows] = await admin.query<RowDataPacket[]>({ sql, rowsAsArray: true });
    return Array.isArray(rows) ? (rows as unknown[][]) : [];
  };
  return {
    server,
    run,
    // A sequence counts, because no rollback takes its numbers back.
    failing: (prefix, error, times) => [
      `create sequence ${prefix}failures`,
      `create trigger ${prefix}failing before update on ${prefix}cells for each row
         if nextval(${prefix}failures) <= ${times} then
           signal sqlstate '45000' set mysql_errno = ${NUMBERS[error]}, message_text = 'as a test'; end if`,
    ],
    changesTried: async (prefix) => Number((await run(`select nextval(${prefix}failures)`))[0]?.[0]) - 1,
    springTable: [
      `create table if not exists INT_LOCK (LOCK_KEY char(36) not null, REGION varchar(100) not null,
         CLIENT_ID char(36), CREATED_DATE datetime(6) not null, EXPIRED_AFTER datetime(6) not null, primary key (LOCK_KEY, REGION))`,
    ],
    reader: (user, password, prefix) => [
      `create user ${user}@'127.0.0.1' identified by '${password}'`,
      `grant select on ${prefix}cells to ${user}@'127.0.0.1'`,
      `grant select on ${prefix}schema to ${user}@'127.0.0.1'`,
    ],
    endConnections: async () => {
      const rows = await run(
        `select id from information_schema.processlist where user = 'holdfast' and id <> connection_id()`,
      );
      for (const [id] of rows) await run(`kill ${Number(id)}`);
    },
    stop: async () => {
      await admin.end();
      await server.stop();
    },
  };
}
