import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fairLockForm } from '../../src/engines/redis/locks/fair-lock-form.ts';
import { lockProtocol } from '../../src/engines/redis/locks/lock-protocol.ts';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { asking, type GoldenStage, goldenStage } from './redisson-golden/golden-stage.ts';
import { A, B, C, D } from './redisson-golden/owners.ts';

const WAIT_MS = 1000;
const JAVA_WAIT_MS = 300_000;
const JAVA = 'a thread of Java';

/** A has the lock, B and C have waited for several times their patience, and a thread of Java stands behind them. */
async function oldLine(stage: GoldenStage, name: string) {
  const lock = lockProtocol(stage.parts, fairLockForm(stage.parts));
  const queue = `redisson_lock_queue:{${name}}`;
  const deadlines = `redisson_lock_timeout:{${name}}`;
  const asks = (owner: string) =>
    lock.acquire(name, asking(owner, 30_000, { fences: 1, wait: true, interestMs: WAIT_MS }));
  await lock.acquire(name, asking(A, 30_000, { fences: 1 }));
  const until = performance.now() + 3 * WAIT_MS;
  while (performance.now() < until) {
    await asks(B);
    await asks(C);
    await sleep(WAIT_MS / 10);
  }
  const scores = () => stage.scores(deadlines);
  await stage.command('ZADD', deadlines, (await scores()).get(C)! + JAVA_WAIT_MS, JAVA);
  await stage.command('RPUSH', queue, JAVA);
  const javaDrops = async (owner: string): Promise<void> => {
    await stage.command('LREM', queue, 0, owner);
    await stage.command('ZREM', deadlines, owner);
  };
  return { asks, scores, javaDrops, inLine: () => stage.command('LRANGE', queue, 0, -1) };
}

describeRedis(
  'the line of a fair lock beside Java, which drops the dead and leaves those behind as they are',
  () => {
    const golden = goldenStage();

    test.concurrent('each of our dead is in its way for one waitLimit, however old the line is', async () => {
      const { stage, name } = await golden();
      const { scores } = await oldLine(stage, name);
      const now = await scores();
      // What Java waits for B, and then for C once it has dropped B.
      expect(now.get(B)! - (await stage.nowMs())).toBeLessThanOrEqual(WAIT_MS);
      expect(now.get(C)! - now.get(B)!).toBeLessThanOrEqual(WAIT_MS);
    });

    test.concurrent(
      'one of ours that lives gives the dead behind a dropped head their own time back',
      async () => {
        const { stage, name } = await golden();
        const { asks, scores, javaDrops } = await oldLine(stage, name);
        await asks(D);
        const before = await scores();
        await javaDrops(B);
        await asks(D);
        const after = await scores();
        expect(before.get(C)! - after.get(C)!).toBeGreaterThan(WAIT_MS / 12);
        expect(after.get(C)! - (await stage.nowMs())).toBeLessThanOrEqual(WAIT_MS);
        // Java stands as far behind C as it did: that is what it will take off those behind when it leaves.
        expect(after.get(JAVA)! - after.get(C)!).toBe(JAVA_WAIT_MS);
      },
    );

    test.concurrent('all of ours that died are passed over together by one that lives', async () => {
      const { stage, name } = await golden();
      const { asks, inLine, javaDrops } = await oldLine(stage, name);
      const until = performance.now() + 2 * WAIT_MS;
      await javaDrops(B);
      while (performance.now() < until) {
        await asks(D);
        await sleep(WAIT_MS / 10);
      }
      await expect(inLine()).resolves.toEqual([JAVA, D]);
    });
  },
);
