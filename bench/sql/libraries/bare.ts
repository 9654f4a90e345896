import type { Library, Locker } from '../../library.ts';
import { mysqlPool, openFile, pgPool } from '../connections.ts';

type Update = (name: string) => unknown;

/**
 * The floor: two changes of one row, each a transaction of its own, by a statement that is prepared. It compares nothing
 * and keeps no document: less than this no lock in a row can be.
 */
function twoUpdates(update: Update, close: () => unknown): Locker {
  return {
    loop: async (name, pairs) => {
      for (let done = 0; done < pairs; done += 1) {
        await update(name);
        await update(name);
      }
    },
    acquire: async (name) => {
      await update(name);
      return async () => update(name);
    },
    close: async () => void (await close()),
  };
}

const TABLE = 'create table if not exists bare (name varchar(100) primary key, fence bigint not null)';

export const barePg: Library = {
  name: 'two UPDATEs (pg)',
  open: async (port) => {
    const pool = await pgPool(port);
    await pool.query(TABLE);
    await pool.query(`insert into bare values ('pair', 0) on conflict do nothing`);
    const text = 'update bare set fence = fence + 1 where name = $1';
    return twoUpdates(
      (name) => pool.query({ name: 'bare', text, values: [name] }),
      () => pool.end(),
    );
  },
};

export const bareMysql2: Library = {
  name: 'two UPDATEs (mysql2)',
  open: async (port) => {
    const pool = await mysqlPool(port);
    await pool.query(TABLE);
    await pool.query(`insert ignore into bare values ('pair', 0)`);
    const text = 'update bare set fence = fence + 1 where name = ?';
    return twoUpdates(
      (name) => pool.execute(text, [name]),
      () => pool.end(),
    );
  },
};

export const bareLibsql: Library = {
  name: 'two UPDATEs (libsql)',
  open: async (_port, folder) => {
    const database = await openFile(folder, 'bare.db');
    database.exec(TABLE);
    database.exec(`insert into bare values ('pair', 0) on conflict do nothing`);
    const statement = database.prepare('update bare set fence = fence + 1 where name = ?');
    return twoUpdates(
      (name) => statement.run(name),
      () => database.close(),
    );
  },
};
