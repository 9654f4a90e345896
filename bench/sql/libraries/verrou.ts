import type { KyselyAdapter } from '@verrou/core/drivers/kysely';
import type { Dialect } from 'kysely';
import type { Library } from '../../library.ts';
import { mysqlSettings, pgPool } from '../connections.ts';

type Options = { readonly retry?: { readonly delay: number } };

/** Its own name for it. */
const TABLE = 'verrou';
/** Of PostgreSQL's own list of tables. */
const UNIQUE_VIOLATION = '23505';

/** Asked for as often as a timer can. */
const FAST: Options = { retry: { delay: 1 } };

type DialectOf = (port: number) => Promise<Dialect>;

const overPg: DialectOf = async (port) => {
  const { PostgresDialect } = await import('kysely');
  return new PostgresDialect({ pool: await pgPool(port) });
};

const overMysql2: DialectOf = async (port) => {
  const [{ MysqlDialect }, { createPool }] = await Promise.all([import('kysely'), import('mysql2')]);
  return new MysqlDialect({ pool: createPool(mysqlSettings(port)) });
};

/** As its pages show it: endless patience, asked for every 250 ms. */
export const verrouPg = library('verrou (pg)', overPg, {});
export const verrouFastPg = library('verrou (pg), every 1 ms', overPg, FAST);
export const verrouMysql2 = library('verrou (mysql2)', overMysql2, {});
export const verrouFastMysql2 = library('verrou (mysql2), every 1 ms', overMysql2, FAST);

function library(name: string, dialectOf: DialectOf, options: Options): Library {
  return {
    name,
    open: async (port) => {
      const [{ Kysely }, { LockFactory }, { kyselyStore, KyselyAdapter }, dialect] = await Promise.all([
        import('kysely'),
        import('@verrou/core'),
        import('@verrou/core/drivers/kysely'),
        dialectOf(port),
      ]);
      const connection = new Kysely<unknown>({ dialect });
      await tableMade(new KyselyAdapter(connection));
      const store = kyselyStore({ connection, tableName: TABLE, autoCreateTable: false });
      const locks = new LockFactory(store.factory(), options);
      return {
        loop: async (key, pairs) => {
          for (let done = 0; done < pairs; done += 1) {
            const lock = locks.createLock(key);
            await undoneOrDone(() => lock.acquire());
            await undoneOrDone(() => lock.release());
          }
        },
        acquire: async (key) => {
          const lock = locks.createLock(key);
          await undoneOrDone(() => lock.acquire());
          return () => undoneOrDone(() => lock.release());
        },
        close: () => connection.destroy(),
      };
    },
  };
}

/**
 * Creates its table by its own statement, before it is measured. Its constructor does so too, but an error there has no
 * handler: of two settings that begin at the same moment one would end its process, because in PostgreSQL the second of two
 * concurrent `create table if not exists` fails. The second attempt finds the table.
 */
async function tableMade(adapter: KyselyAdapter): Promise<void> {
  adapter.setTableName(TABLE);
  await adapter.createTableIfNotExists().catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION)) throw error;
    return adapter.createTableIfNotExists();
  });
}

/** On MariaDB several waiters deadlock, and the library passes the error on to its callers: each must ask again. */
async function undoneOrDone<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ER_LOCK_DEADLOCK')) throw error;
    }
  }
}
