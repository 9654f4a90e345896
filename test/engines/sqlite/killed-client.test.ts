import { expect, test } from 'vitest';
import { UncaughtErrors } from '../../fixtures/uncaught-errors.ts';
import { SqliteHarness } from './sqlite-harness.ts';

// Statements that follow each other for longer than 8 ms wait for a turn of the loop before they reach the file. The harness
// kills the client while they do and closes the file at the end of the case: they then find it closed, in a client that is
// dead. A process that was killed hears of nothing any more, and neither may the caller of a client that stands for one.
test('a client that was killed in a burst of statements hears nothing of the end of its file', async () => {
  using rejections = new UncaughtErrors();
  const harness = new SqliteHarness({ driver: 'libsql' });
  let settled = 0;
  await harness.run(async () => {
    const client = await harness.open();
    for (let locks = 0; locks < 50; locks++)
      client
        .monitor(`case-${locks}`, { initial: 0 })
        .run(() => undefined)
        .then(
          () => settled++,
          () => settled++,
        );
    // The first statements are through, and the others wait for their turn.
    for (let microtasks = 0; microtasks < 200; microtasks++) await Promise.resolve();
    await harness.crash(client);
    settled = 0;
  });
  expect(await rejections.soFar()).toStrictEqual([]);
  expect(settled, 'a call of a killed client ended').toBe(0);
});
