import { join } from 'node:path';
import type { Database } from 'libsql';
import type { Pool } from 'mysql2/promise';
import type pg from 'pg';

/** As the servers of the tests have it. */
const who = { host: '127.0.0.1', user: 'holdfast', password: 'tell-nobody' };

/** A pool such as a program has: more connections than are needed at once. */
export async function pgPool(port: number): Promise<pg.Pool> {
  const { default: driver } = await import('pg');
  return new driver.Pool({ ...who, port, database: 'postgres', max: 10 });
}

export function mysqlSettings(port: number) {
  return { ...who, port, database: 'holdfast', connectionLimit: 10 };
}

export async function mysqlPool(port: number): Promise<Pool> {
  const { createPool } = await import('mysql2/promise');
  return createPool(mysqlSettings(port));
}

/** A file with what Holdfast sets on its own: a log that readers do not wait for, on the disk at each checkpoint. */
export async function openFile(folder: string, name: string): Promise<Database> {
  const { default: File } = await import('libsql');
  const database = new File(join(folder, name), { timeout: 0 });
  database.exec('pragma journal_mode = wal');
  database.exec('pragma synchronous = normal');
  return database;
}
