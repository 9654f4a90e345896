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
  const row = { wakes: 0, version: 'v1' };
  const held: (() => void)[] = [];
  let holds = false;
  const sql: SqlClient = {
    query: async (): Promise<SqlResult> => {
      const rows = [['lock', 'a', row.wakes, '*', row.version]];
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
  const rows = new RowPoller({ statements, untilNextLookMs: () => LOOK_MS });
  const hold = (): void => {
    holds = true;
  };
  const answer = (): void => {
    holds = false;
    for (const resolve of held.splice(0)) resolve();
  };
  return { clock, row, rows, hold, answer, client, seen: () => rows.seen('lock', 'a') };
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
