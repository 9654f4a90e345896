// Increments a number in a file under a lock, again and again. The file is replaced as a whole, so that a test that kills this
// process finds the old number or the new one in it.
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { sqlite } from '../../../../src/engines/sqlite/index.ts';
import { asked, plan, tell } from '../../redis/programs/tell.ts';

interface Plan {
  readonly file: string;
  readonly counter: string;
}

const { file, counter } = plan() as Plan;
const locks = sqlite({ file });
const lock = locks.lock('counter');
let working = true;
let begun = false;
const work = increment();
await asked();
working = false;
await work;
await locks.close();
tell('ended');

async function increment(): Promise<void> {
  while (working) {
    await lock.run(async ({ fence }) => {
      const before = JSON.parse(readFileSync(counter, 'utf8')) as { value: number; fence: string };
      if (BigInt(before.fence) >= fence) tell('disorder', { before: before.fence, fence });
      // Another process that believes to be alone gets its chance.
      await new Promise((resolve) => setImmediate(resolve));
      const value = before.value + 1;
      writeFileSync(`${counter}.${process.pid}`, JSON.stringify({ value, fence: String(fence) }));
      renameSync(`${counter}.${process.pid}`, counter);
      appendFileSync(`${counter}.told`, `${value}\n`);
      if (!begun) tell('incremented', { value });
      begun = true;
    });
  }
}
