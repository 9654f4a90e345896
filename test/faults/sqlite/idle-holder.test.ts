import { copyFileSync, renameSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { LeaseLostError } from 'holdfast';
import { sqlite } from 'holdfast/sqlite';
import { loadDriver } from '../../../src/engines/sqlite/file/drivers.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { removeDatabase } from './remove-database.ts';
import { TemporaryFolder } from './temporary-folder.ts';

const LONG_MS = 10 * 60 * 1000;
const DEADLINE_MS = 20_000;

/** All that is in the file, in one that can take its place. */
async function backUp(file: string): Promise<string> {
  const connection = (await loadDriver()).open(file);
  connection.run('pragma wal_checkpoint(truncate)', []);
  connection.close();
  copyFileSync(file, `${file}.backup`);
  return `${file}.backup`;
}

function restore(file: string, backup: string): void {
  removeDatabase(file);
  renameSync(backup, file);
}

describe.each([
  ['a lease of its own', { leaseMs: LONG_MS }],
  ['a lease that is renewed every few minutes', {}],
])('a holder with %s that asks nothing', (_which, options) => {
  const open = (file: string) => sqlite({ file, renewalLeaseMs: LONG_MS });

  test('learns that its file was deleted', async () => {
    using folder = new TemporaryFolder();
    const file = folder.file();
    await using locks = open(file);
    const hold = await locks.lock('a').acquire(options);
    removeDatabase(file);
    await waitFor('the holder is notified', () => hold.lost.aborted, DEADLINE_MS);
    expect(hold.lost.reason instanceof LeaseLostError).toBeTruthy();
    expect(hold.lost.reason.reason).toBe('gone');
    await using other = open(file);
    const next = await other.lock('a').acquire();
    expect(next.fence > hold.fence).toBeTruthy();
  });

  test('learns that an earlier backup has replaced its file', async () => {
    using folder = new TemporaryFolder();
    const file = folder.file();
    await using locks = open(file);
    await locks.lock('b').run(() => undefined);
    const backup = await backUp(file);
    const hold = await locks.lock('a').acquire(options);
    restore(file, backup);
    await waitFor('the holder is notified', () => hold.lost.aborted, DEADLINE_MS);
    expect(hold.lost.reason instanceof LeaseLostError).toBeTruthy();
  });

  test('loses nothing if what it holds is in the file that took the place', async () => {
    using folder = new TemporaryFolder();
    const file = folder.file();
    await using locks = open(file);
    const hold = await locks.lock('a').acquire(options);
    const backup = await backUp(file);
    const gone = await locks.lock('gone').acquire(options);
    restore(file, backup);
    // Both are asked about together.
    await waitFor('the holder of the other is notified', () => gone.lost.aborted, DEADLINE_MS);
    await using other = open(file);
    expect(await other.lock('a').tryAcquire()).toBe(null);
    expect(hold.lost.aborted).toBe(false);
    await hold.release();
  });
});
