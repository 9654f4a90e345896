import { renameSync, rmSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HoldfastEvent } from 'holdfast';
import { sqlite } from 'holdfast/sqlite';
import { loadDriver } from '../../../src/engines/sqlite/file/drivers.ts';
import { probe } from '../../../src/engines/sqlite/liveness/liveness-file.ts';
import { UncaughtErrors } from '../../fixtures/uncaught-errors.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { TemporaryFolder } from './temporary-folder.ts';

const DEADLINE_MS = 8_000;
/** How often a waiter looks at the sign of life of the client that it waits for. */
const LIVENESS_LOOK_MS = 1000;

/** A folder that can be made unseen: its path becomes a loop of links, which the superuser cannot follow either. */
class FolderBehindLoop {
  readonly #path: string;
  readonly #elsewhere: string;
  readonly file: string;

  constructor(parent: TemporaryFolder) {
    this.#path = join(parent.path, 'inner');
    this.#elsewhere = join(parent.path, 'elsewhere');
    this.file = join(this.#path, 'locks.db');
    mkdirSync(this.#path);
  }

  hide(): void {
    renameSync(this.#path, this.#elsewhere);
    symlinkSync(this.#path, this.#path);
  }

  show(): void {
    rmSync(this.#path);
    renameSync(this.#elsewhere, this.#path);
  }
}

test('a holder whose file cannot be read keeps its process, emits trouble once, and goes on when the file is back', async () => {
  using parent = new TemporaryFolder();
  using uncaught = new UncaughtErrors();
  const folder = new FolderBehindLoop(parent);
  await using locks = sqlite({ file: folder.file });
  const troubles: HoldfastEvent[] = [];
  locks.on('trouble', (event) => event.kind === 'file' && troubles.push(event));
  const hold = await locks.lock('a').acquire({ leaseMs: 600_000 });
  folder.hide();
  await waitFor(
    'the trouble is reported',
    async () => {
      expect(await uncaught.soFar()).toStrictEqual([]);
      return troubles.length > 0;
    },
    DEADLINE_MS,
  );
  expect(troubles).toMatchObject([{ kind: 'file', name: folder.file, error: { code: 'ELOOP' } }]);
  // What cannot be seen may be another file: no statement is made in the one that is open.
  for (let times = 0; times < 3; times++) {
    await expect(locks.lock('b').tryAcquire()).rejects.toThrow(/cannot be opened \(ELOOP/);
  }
  expect(hold.lost.aborted).toBe(false);
  folder.show();
  await waitFor(
    'the file is seen again',
    async () =>
      (await locks
        .lock('c')
        .tryAcquire()
        .catch(() => null)) !== null,
    DEADLINE_MS,
  );
  expect(hold.lost.aborted).toBe(false);
  await hold.release();
  expect(troubles).toHaveLength(1);
  expect(await uncaught.soFar()).toStrictEqual([]);
});

test('nothing is found out about a client whose sign of life cannot be seen', async () => {
  using parent = new TemporaryFolder();
  const folder = new FolderBehindLoop(parent);
  folder.hide();
  expect(probe(await loadDriver(), folder.file)).toBe('unknown');
});

test('a waiter that follows a holder keeps its process when their folder cannot be seen', async () => {
  using parent = new TemporaryFolder();
  using uncaught = new UncaughtErrors();
  const folder = new FolderBehindLoop(parent);
  await using holder = sqlite({ file: folder.file });
  await using waiter = sqlite({ file: folder.file });
  let waits = false;
  waiter.on('contended', () => (waits = true));
  await holder.lock('a').acquire({ leaseMs: 600_000 });
  const waited = waiter.lock('a').tryAcquire({ timeoutMs: 3 * LIVENESS_LOOK_MS });
  await waitFor('the waiter waits', () => waits);
  folder.hide();
  // It ends by its own time, or by a look of its own that fails: what counts is that three looks at the holder end nothing.
  await Promise.allSettled([waited]);
  expect(await uncaught.soFar()).toStrictEqual([]);
});

test('a client closes although its folder cannot be seen', async () => {
  using parent = new TemporaryFolder();
  using uncaught = new UncaughtErrors();
  const folder = new FolderBehindLoop(parent);
  const locks = sqlite({ file: folder.file });
  await locks.lock('a').acquire({ leaseMs: 600_000 });
  folder.hide();
  await locks.close();
  expect(await uncaught.soFar()).toStrictEqual([]);
});
