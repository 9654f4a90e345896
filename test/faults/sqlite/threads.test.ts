import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { sqlite } from 'holdfast/sqlite';
import { TemporaryFolder } from './temporary-folder.ts';

const program = new URL('../../../.build/programs/test/faults/sqlite/programs/thread.js', import.meta.url);
const TIMES = 100;
const DEADLINE_MS = 60_000;

function start(file: string, shared: SharedArrayBuffer, keeps: boolean): Worker {
  return new Worker(program, { workerData: { file, shared, times: keeps ? 0 : TIMES, keeps } });
}

describe('threads of one process', () => {
  test(
    'exclude each other',
    async () => {
      using folder = new TemporaryFolder();
      const shared = new SharedArrayBuffer(4);
      const workers = [0, 1, 2].map(() => start(folder.file(), shared, false));
      await Promise.all(workers.map((worker) => once(worker, 'exit')));
      expect(new Int32Array(shared)[0]).toBe(3 * TIMES);
    },
    DEADLINE_MS,
  );

  test(
    'one that is ended while it holds something is followed by the next, at the latest when its lease ends',
    async () => {
      using folder = new TemporaryFolder();
      const worker = start(folder.file(), new SharedArrayBuffer(4), true);
      await once(worker, 'message');
      await using locks = sqlite({ file: folder.file() });
      expect(await locks.lock('kept').tryAcquire()).toBe(null);
      await worker.terminate();
      const hold = await locks.lock('kept').acquire();
      await hold.release();
    },
    DEADLINE_MS,
  );
});
