// Takes a lock in Spring's table, tells so, and keeps it until it is killed.
import pg from 'pg';
import { postgres, type TableLockOptions } from '../../../src/engines/postgres/index.ts';
import { asked, plan, tell } from '../../faults/redis/programs/tell.ts';

interface Plan {
  readonly url: string;
  readonly name: string;
  readonly options: TableLockOptions;
}

const { url, name, options } = plan() as Plan;
const pool = new pg.Pool({ connectionString: url });
const locks = postgres({ pool });
const hold = await locks.tableLock(name, options).acquire();
tell('ready');
await asked();
await hold.release();
await locks.close();
await pool.end();
tell('ended');
