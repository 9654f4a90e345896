import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock, systemRandom } from '../../../src/core/time/clock.ts';
import { loadDriver } from '../../../src/engines/sqlite/file/drivers.ts';
import { openSqlite } from '../../../src/engines/sqlite/open-sqlite.ts';
import type { SqliteConnection } from '../../../src/engines/sqlite/file/sqlite-driver.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { TemporaryFolder } from './temporary-folder.ts';

const HOUR_MS = 60 * 60 * 1000;

let folder: TemporaryFolder;
let clock: SqliteConnection;

beforeEach(async () => {
  folder = new TemporaryFolder();
  clock = (await loadDriver()).open(folder.file('clock.db'));
  clock.execute('create table clock (ms real); insert into clock values (0)');
});

afterEach(() => {
  clock.close();
  folder[Symbol.dispose]();
});

/** A client of a database whose clock the test can set. */
function open(renewalLeaseMs: number) {
  const now = `(unixepoch('subsec') * 1000.0 + coalesce((select ms from clock), 0))`;
  const surroundings = { clock: systemClock, random: systemRandom, now };
  const { inside: _inside, ...locks } = openSqlite(
    { file: folder.file('clock.db'), renewalLeaseMs },
    surroundings,
  );
  return locks;
}

function setClock(byMs: number): void {
  clock.execute(`update clock set ms = ${byMs}`);
}

describe('the clock of the database', () => {
  test('set back by an hour: no other owner acquires while one holds, and no waiter waits for an hour', async () => {
    await using one = open(1500);
    await using other = open(1500);
    const renewed = await one.lock('renewed').acquire();
    const leased = await one.lock('leased').acquire({ leaseMs: 3000 });
    setClock(-HOUR_MS);
    expect(await other.lock('renewed').tryAcquire()).toBe(null);
    expect(await other.lock('leased').tryAcquire()).toBe(null);
    const waiting = other.lock('leased').acquire();
    const next = await waiting;
    expect(leased.lost.aborted, 'its own holder had lost it by then').toBeTruthy();
    expect(next.fence > leased.fence).toBeTruthy();
    renewed.throwIfLost();
    expect(await other.lock('renewed').tryAcquire()).toBe(null);
    const soon = other.lock('renewed').acquire();
    await renewed.release();
    expect((await soon).fence > renewed.fence, 'fences do not go back with the clock').toBeTruthy();
  }, 60_000);

  test('set forward by an hour: another owner acquires, the old fence is lower, and its hold.lost fires', async () => {
    await using one = open(1500);
    await using other = open(1500);
    const hold = await one.lock('a').acquire();
    setClock(HOUR_MS);
    const next = await other.lock('a').acquire();
    expect(next.fence > hold.fence).toBeTruthy();
    await waitFor('the first holder is notified', () => hold.lost.aborted);
    next.throwIfLost();
    await next.release();
  }, 60_000);
});
