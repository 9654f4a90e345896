// Stops itself in the middle of the exclusive path: after it has locked a row, and before it has decided anything.
import { mysqlClientFor, postgresClientFor } from '../../../../src/engines/sql/clients/recognise.ts';
import { asked, plan, tell } from '../../redis/programs/tell.ts';
import type { DatabasePlan } from './plan.ts';

interface FrozenPlan extends DatabasePlan {
  readonly name: string;
  readonly commandTimeoutMs: number;
}

const { name, engine, url, commandTimeoutMs } = plan() as FrozenPlan;
const { inside, end } = await (engine === 'postgres' ? openPostgres() : openMysql());
await inside.documents.read('lock', name);
let stopped = false;
const outcome = await inside.documents.exclusively!('lock', name, (found) => {
  if (!stopped) {
    stopped = true;
    tell('has the row');
    process.kill(process.pid, 'SIGSTOP');
  }
  return { answer: () => found.version };
}).then(
  (version) => ({ version }),
  (error: unknown) => ({ error: String(error) }),
);
tell('went on', outcome);
await asked();
await end();
tell('ended');

async function openPostgres() {
  const { openPostgres: open } = await import('../../../../src/engines/postgres/open-postgres.ts');
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: url, max: 3 });
  // A connection that breaks while no client uses it is replaced by the next one.
  pool.on('error', () => undefined);
  const locks = open(postgresClientFor(pool), { commandTimeoutMs });
  return { inside: locks.inside, end: () => locks.close().then(() => pool.end()) };
}

async function openMysql() {
  const { openMysql: open } = await import('../../../../src/engines/mysql/open-mysql.ts');
  const { createPool } = await import('mysql2/promise');
  const pool = createPool({ uri: url, connectionLimit: 3 });
  const locks = open(mysqlClientFor(pool), { commandTimeoutMs });
  return { inside: locks.inside, end: () => locks.close().then(() => pool.end()) };
}
