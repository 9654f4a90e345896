// Uses one of the database's own locks from a process of its own: keeps it, or writes into a file under it.
import { appendFileSync, readFileSync } from 'node:fs';
import { asked, plan, tell } from '../../../faults/redis/programs/tell.ts';
import { openNative } from '../native-engine.ts';
import { type LockKind, underLock } from '../under-lock.ts';

interface Plan {
  readonly engine: 'postgres' | 'mysql';
  readonly client: string;
  readonly url: string;
  readonly kind: LockKind;
  readonly name: string;
  readonly renewalLeaseMs: number;
  /** Where to write; without one the lock is kept. */
  readonly file?: string;
}

const { engine, client, url, kind, name, renewalLeaseMs, file } = plan() as Plan;
// Only what it needs: most of what such a process does is to start.
const pools =
  engine === 'postgres'
    ? (await import('../../sql-clients/postgres-pools.ts')).postgresPools
    : (await import('../../sql-clients/mysql-pools.ts')).mysqlPools;
const user = pools[client]!(url);
const locks = openNative(engine, user.client, { renewalLeaseMs });
let over = false;
const ending = asked().then(() => {
  over = true;
});
tell('ready');

if (file === undefined) {
  await underLock(locks, kind, name, async (hold) => {
    tell('held', { fence: hold.fence });
    // It may have been lost on the way here.
    if (hold.lost.aborted) tell('lost');
    else hold.lost.addEventListener('abort', () => tell('lost'));
    await ending;
    hold.throwIfLost();
  }).catch((error: unknown) => tell('failed', { error: String(error) }));
} else {
  while (!over) {
    await underLock(locks, kind, name, async (hold) => {
      // In two steps, with time between them for another client to come in.
      const last = Number(readFileSync(file, 'utf8').trimEnd().split('\n').at(-1)?.split(' ')[0] ?? 0);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      hold.throwIfLost();
      appendFileSync(file, `${last + 1} ${hold.fence}\n`);
    }).catch((error: unknown) => tell('failed', { error: String(error) }));
  }
}
await locks.close();
await user.end();
tell('ended');
