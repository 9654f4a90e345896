// Runs in a thread: increments a number that all threads share, without any atomic step, under a lock.
import { parentPort, workerData } from 'node:worker_threads';
import { sqlite } from '../../../../src/engines/sqlite/index.ts';

const { file, shared, times, keeps } = workerData as {
  readonly file: string;
  readonly shared: SharedArrayBuffer;
  readonly times: number;
  readonly keeps: boolean;
};
const numbers = new Int32Array(shared);
const locks = sqlite({ file });
for (let time = 0; time < times; time++) {
  await locks.lock('number').run(async () => {
    const before = numbers[0]!;
    await new Promise((resolve) => setImmediate(resolve));
    numbers[0] = before + 1;
  });
}
if (keeps) {
  await locks.lock('kept').acquire({ leaseMs: 3000 });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort!.postMessage('held');
  setInterval(() => undefined, 1000);
} else {
  await locks.close();
}
