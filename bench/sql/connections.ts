import { join } from 'node:path';
import Database from 'libsql';
import { createPool, type Pool } from 'mysql2/promise';
import pg from 'pg';

/** As the servers of the tests have it. */
const who = { host: '127.0.0.1', user: 'holdfast', password: 'tell-nobody' };

/** A pool such as a program has: more connections than are needed at once. */
export function pgPool(port: number): pg.Pool {
  return new pg.Pool({ ...who, port, database: 'postgres', max: 10 });
}

export function mysqlSettings(port: number) {
  return { ...who, port, database: 'holdfast', connectionLimit: 10 };
}

export function mysqlPool(port: number): Pool {
  return createPool(mysqlSettings(port));
}

/** A file with what Holdfast sets on its own: a log that readers do not wait for, on the disk at each checkpoint. */
export function openFile(folder: string, name: string): Database.Database {
  const database = new Database(join(folder, name), { timeout: 0 });
  database.exec('pragma journal_mode = wal');
  database.exec('pragma synchronous = normal');
  return database;
}
