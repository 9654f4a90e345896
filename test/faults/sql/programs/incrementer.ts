// Increments a number in a file under a lock, again and again. The file is replaced as a whole, so that a test that kills this
// process finds the old number or the new one in it.
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isHoldfastError } from '../../../../src/index.ts';
import { asked, plan, tell } from '../../redis/programs/tell.ts';
import { type DatabasePlan, openDatabase } from './plan.ts';

const { counter, ...database } = plan() as DatabasePlan & { readonly counter: string };
const locks = await openDatabase(database);
const lock = locks.lock('counter');
let working = true;
let begun = false;
const work = increment();
await asked();
working = false;
await work;
await locks.end();
tell('ended');

async function increment(): Promise<void> {
  while (working) {
    try {
      await incrementOnce();
    } catch (error) {
      // On a machine that is too busy to renew in time, a hold is lost, and nothing was written under it.
      if (!isHoldfastError(error) || error.code !== 'LEASE_LOST') throw error;
    }
  }
}

async function incrementOnce(): Promise<void> {
  await lock.run(async (hold) => {
    const before = JSON.parse(readFileSync(counter, 'utf8')) as { value: number; fence: string };
    if (BigInt(before.fence) >= hold.fence) tell('disorder', { before: before.fence, fence: hold.fence });
    // Another process that believes to be alone gets its chance.
    await new Promise((resolve) => setImmediate(resolve));
    hold.throwIfLost();
    const value = before.value + 1;
    writeFileSync(`${counter}.${process.pid}`, JSON.stringify({ value, fence: String(hold.fence) }));
    renameSync(`${counter}.${process.pid}`, counter);
    appendFileSync(`${counter}.told`, `${value} ${hold.fence}\n`);
    if (!begun) tell('incremented', { value });
    begun = true;
  });
}
