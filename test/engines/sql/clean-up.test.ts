import { expect, test } from 'vitest';
import { CleanUp } from '../../../src/engines/sql/cells/clean-up.ts';
import type { Statements } from '../../../src/engines/sql/cells/statements.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

const PAUSE_MS = 100;

/** A database that removes so many rows with each batch, and when each batch was asked for. */
function databaseWith(clock: VirtualClock, removed: readonly number[]) {
  const askedAt: number[] = [];
  const statements = {
    client: { label: 'postgres', closed: false, sleep: (ms: number) => clock.sleep(ms) },
    dialect: { cleanUp: (most: number) => ({ text: 'delete', values: [most] }) },
    sql: {},
    runInTime: async () => {
      askedAt.push(clock.now());
      return { rows: [], changed: removed[askedAt.length - 1] };
    },
  };
  return { askedAt, statements: statements as unknown as Statements };
}

test('a clean-up pauses after each full batch, and ends with the first that is not full', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { askedAt, statements } = databaseWith(clock, [500, 500, 499]);
    const start = clock.now();
    let isAfterwards = false;
    await new CleanUp(statements, () => void (isAfterwards = true)).runAll();
    expect(askedAt.map((at) => at - start)).toEqual([0, PAUSE_MS, 2 * PAUSE_MS]);
    expect(isAfterwards).toBe(true);
  });
});
