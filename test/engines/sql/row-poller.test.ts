import { expect, test } from 'vitest';
import { Client } from '../../../src/core/client.ts';
import { RowPoller } from '../../../src/engines/sql/cells/row-poller.ts';
import type { SqlClient, SqlResult } from '../../../src/engines/sql/sql-client.ts';
import { sqliteDialect } from '../../../src/engines/sql/dialects/sqlite-dialect.ts';
import { Statements } from '../../../src/engines/sql/cells/statements.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';
import { SeededRandom } from '../seeded-random.ts';

const LOOK_MS = 1000;

/** One row that is watched, and answers that come when the test lets them. */
function watchedRow() {
  const clock = new VirtualClock();
  const row = { wakes: 0, woken: '*', version: 'v1' };
  const held: (() => void)[] = [];
  let holds = false;
  const sql: SqlClient = {
    query: async (): Promise<SqlResult> => {
      const rows = [['lock', 'a', row.wakes, row.woken, row.version]];
      if (holds) await new Promise<void>((resolve) => held.push(resolve));
      return { rows, changed: 0 };
    },
    failure: () => 'final',
    openSession: undefined,
    close: async () => undefined,
  };
  const random = new SeededRandom('row');
  const client = new Client({ label: 'row', clock, random, renewalLeaseMs: 30_000, maxHoldMs: Infinity });
  const dialect = sqliteDialect({ tablePrefix: 'holdfast_', schema: undefined });
  const statements = new Statements({ client, sql, dialect, commandTimeoutMs: 10 * LOOK_MS });
  const quiet: number[] = [];
  const untilNextLookMs = (quietMs: number): number => {
    quiet.push(quietMs);
    return LOOK_MS;
  };
  const rows = new RowPoller({ statements, untilNextLookMs });
  const hold = (): void => {
    holds = true;
  };
  const answer = (): void => {
    holds = false;
    for (const resolve of held.splice(0)) resolve();
  };
  return { clock, row, rows, quiet, hold, answer, client, seen: () => rows.seen('lock', 'a') };
}

test('a watch has seen the version of its last look, until a wake-up arrives', async () => {
  const { clock, row, rows, client, seen } = watchedRow();
  await clock.run(async () => {
    expect(seen()).toBe(undefined);
    let calls = 0;
    const unwatch = await rows.watch('lock', 'a', 'me:1', () => calls++);
    expect(seen()).toBe('v1');
    rows.tell('lock', 'a', 'another:owner');
    expect([seen(), calls]).toStrictEqual([undefined, 0]);
    row.version = 'v2';
    await clock.sleep(1.5 * LOOK_MS);
    expect(seen()).toBe('v2');
    rows.wakeAll();
    expect([seen(), calls]).toStrictEqual([undefined, 1]);
    unwatch();
    expect(seen()).toBe(undefined);
    await client.close();
  });
});

test('a look that was under way when a wake-up arrived has seen nothing that counts', async () => {
  const { clock, row, rows, hold, answer, client, seen } = watchedRow();
  await clock.run(async () => {
    const unwatch = await rows.watch('lock', 'a', 'me:1', () => undefined);
    hold();
    await clock.sleep(1.5 * LOOK_MS);
    // The look has read v1 and is on its way back; the release comes, and its message overtakes the answer.
    Object.assign(row, { wakes: 1, version: 'v2' });
    rows.tell('lock', 'a', '*');
    answer();
    await clock.sleep(0.2 * LOOK_MS);
    expect(seen()).toBe(undefined);
    await clock.sleep(2 * LOOK_MS);
    expect(seen()).toBe('v2');
    unwatch();
    await client.close();
  });
});

test('a wake-up that only the row counts calls the owner that it names, and all owners after several', async () => {
  const { clock, row, rows, client } = watchedRow();
  await clock.run(async () => {
    const calls = { me: 0, another: 0 };
    const unwatch = [
      await rows.watch('lock', 'a', 'me:1', () => calls.me++),
      await rows.watch('lock', 'a', 'another:1', () => calls.another++),
    ];
    const callsAfterLook = async () => {
      rows.look();
      await clock.sleep(0.1 * LOOK_MS);
      return { ...calls };
    };
    expect(await callsAfterLook()).toStrictEqual({ me: 0, another: 0 });
    Object.assign(row, { wakes: 1, woken: 'me:1' });
    expect(await callsAfterLook()).toStrictEqual({ me: 1, another: 0 });
    expect(await callsAfterLook(), 'once for each wake-up').toStrictEqual({ me: 1, another: 0 });
    // The row names the owners of the third wake-up only; the second may have been for the other waiter.
    row.wakes = 3;
    expect(await callsAfterLook()).toStrictEqual({ me: 2, another: 1 });
    for (const stop of unwatch) stop();
    await client.close();
  });
});

// The waiter of a lock that is handed from process to process forgets the row with each hold: what it has found must outlive that.
test('knows since when no look has found a wake-up, also of a name that it has not watched meanwhile', async () => {
  const { clock, row, rows, quiet, client } = watchedRow();
  await clock.run(async () => {
    row.wakes = 7;
    const unwatch = await rows.watch('lock', 'a', 'me:1', () => undefined);
    await clock.sleep(1.5 * LOOK_MS);
    expect(quiet, 'what a row has counted before is no news').toEqual([Infinity, Infinity]);
    row.wakes = 8;
    await clock.sleep(LOOK_MS);
    expect(quiet.at(-1)).toBe(0);
    unwatch();
    await clock.sleep(LOOK_MS);
    await rows.watch('lock', 'a', 'me:2', () => undefined);
    expect(quiet.at(-1)).toBe(1.5 * LOOK_MS);
    await client.close();
  });
});
