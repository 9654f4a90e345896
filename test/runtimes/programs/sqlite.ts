// `sqlite FILE DRIVER`: two clients of one file; DRIVER is a package, or `any` for the first that works.
import assert from 'node:assert/strict';
import { connect } from 'holdfast';
import type { SqliteSettings } from 'holdfast/sqlite';

const [file = '', driver = 'any'] = process.argv.slice(2);
const open = () =>
  connect(
    `sqlite:${file}` as const,
    driver === 'any' ? {} : { driver: driver as NonNullable<SqliteSettings['driver']> },
  );
try {
  const [one, other] = [await open(), await open()];
  const hold = await one.lock('till').acquire();
  assert.equal(await other.lock('till').tryAcquire(), null);
  const waiting = other.lock('till').acquire({ timeoutMs: 20_000 });
  await hold.release();
  await (await waiting).release();
  await one.close();
  await other.close();
  process.stdout.write('held\n');
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`);
}
