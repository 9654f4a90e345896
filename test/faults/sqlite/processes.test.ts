import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sqlite } from 'holdfast/sqlite';
import { waitFor } from '../../fixtures/wait-for.ts';
import { canPutApart, startApart, startSqliteProgram } from './sqlite-program.ts';
import { TemporaryFolder } from './temporary-folder.ts';

const HOUR_MS = 60 * 60 * 1000;
const DEADLINE_MS = 60_000;

describe('processes on one file', () => {
  test(
    'a waiter takes over from a killed holder long before its lease ends (soundness 19)',
    async () => {
      using folder = new TemporaryFolder();
      const file = folder.file();
      await using holder = startSqliteProgram('holder', { file, name: 'a', renewalLeaseMs: HOUR_MS });
      const { fence } = await holder.fact('held', DEADLINE_MS);
      await using locks = sqlite({ file, renewalLeaseMs: HOUR_MS });
      expect(await locks.lock('a').tryAcquire()).toBe(null);
      const waiting = locks.lock('a').acquire();
      await waitFor('a client waits', async () => (await locks.lock('a').waiters()) === 1);
      await holder.kill();
      const hold = await waiting;
      expect(hold.fence > BigInt(String(fence))).toBeTruthy();
      await hold.release();
    },
    2 * DEADLINE_MS,
  );

  test(
    'who tries once finds out as well that the holder is dead',
    async () => {
      using folder = new TemporaryFolder();
      const file = folder.file();
      await using holder = startSqliteProgram('holder', { file, name: 'a', renewalLeaseMs: HOUR_MS });
      await holder.fact('held', DEADLINE_MS);
      await holder.kill();
      await using locks = sqlite({ file });
      expect(await locks.lock('a').tryAcquire()).toBeTruthy();
    },
    2 * DEADLINE_MS,
  );

  test(
    'a holder whose sign of life was swept away keeps its lease (soundness 19)',
    async () => {
      using folder = new TemporaryFolder();
      const file = folder.file();
      await using holder = startSqliteProgram('holder', { file, name: 'a', renewalLeaseMs: HOUR_MS });
      await holder.fact('held', DEADLINE_MS);
      const { rmSync } = await import('node:fs');
      for (const name of readdirSync(folder.path)) if (name.includes('-alive-')) rmSync(folder.file(name));
      await using locks = sqlite({ file });
      expect(await locks.lock('a').tryAcquire()).toBe(null);
      await holder.kill();
      expect(await locks.lock('a').tryAcquire(), 'nothing proves that it is dead').toBe(null);
    },
    2 * DEADLINE_MS,
  );

  test.skipIf(!canPutApart)(
    'a holder that no socket leads to is not dead, and when it dies its file tells (soundness 19)',
    async () => {
      using folder = new TemporaryFolder();
      const file = folder.file();
      await using holder = startApart('holder', { file, name: 'a', renewalLeaseMs: HOUR_MS });
      const { fence } = await holder.fact('held', DEADLINE_MS);
      await using locks = sqlite({ file, renewalLeaseMs: HOUR_MS });
      const waiting = locks.lock('a').acquire();
      await waitFor('a client waits', async () => (await locks.lock('a').waiters()) === 1);
      expect(await locks.lock('a').tryAcquire({ timeoutMs: 300 }), 'it cannot be reached, and lives').toBe(
        null,
      );
      expect((await locks.lock('a').holder())?.fence).toBe(BigInt(String(fence)));
      await holder.kill();
      const hold = await waiting;
      expect(hold.fence > BigInt(String(fence))).toBeTruthy();
      await hold.release();
    },
    2 * DEADLINE_MS,
  );

  test(
    'a stopped holder keeps its lease, and knows that it has lost when it wakes (soundness 6)',
    async () => {
      using folder = new TemporaryFolder();
      const file = folder.file();
      const renewalLeaseMs = 2000;
      await using holder = startSqliteProgram('holder', { file, name: 'a', renewalLeaseMs });
      const { fence } = await holder.fact('held', DEADLINE_MS);
      await using locks = sqlite({ file });
      await holder.pause();
      const stoppedAt = performance.now();
      expect(await locks.lock('a').tryAcquire(), 'it lives, though it stands still').toBe(null);
      const hold = await locks.lock('a').acquire();
      // It may have renewed just before it was stopped, or have been about to.
      expect(
        performance.now() - stoppedAt > renewalLeaseMs / 2,
        'not before its lease could end',
      ).toBeTruthy();
      expect(hold.fence > BigInt(String(fence))).toBeTruthy();
      holder.resume();
      await holder.fact('lost', DEADLINE_MS);
      hold.throwIfLost();
      await hold.release();
      await holder.end();
    },
    2 * DEADLINE_MS,
  );

  test(
    'four processes increment a number, and one of them is killed every second',
    async () => {
      using folder = new TemporaryFolder();
      const [file, counter] = [folder.file(), folder.file('counter.json')];
      writeFileSync(counter, JSON.stringify({ value: 0, fence: '0' }));
      const start = () => startSqliteProgram('incrementer', { file, counter });
      const living = Array.from({ length: 4 }, start);
      const all = [...living];
      try {
        for (let round = 0; round < 5; round++) {
          await Promise.all(living.map((one) => one.fact('incremented', DEADLINE_MS)));
          await new Promise((resolve) => setTimeout(resolve, 1000));
          const [victim] = living.splice(round % 4, 1);
          await victim!.kill();
          const next = start();
          living.push(next);
          all.push(next);
        }
        await Promise.all(living.map((one) => one.fact('incremented', DEADLINE_MS)));
        for (const one of living) await one.end();
      } finally {
        await Promise.all(all.map((one) => one[Symbol.asyncDispose]()));
      }
      const { value } = JSON.parse(readFileSync(counter, 'utf8')) as { value: number };
      const facts = all.flatMap((one) => one.facts);
      expect(facts.filter(({ what }) => what === 'disorder')).toStrictEqual([]);
      const told = readFileSync(`${counter}.told`, 'utf8').trim().split('\n').map(Number);
      expect(new Set(told).size, 'no number was written twice').toBe(told.length);
      // The client that is killed may have written a number and not told it.
      expect(
        value - told.length <= 5 && value >= Math.max(...told),
        `${value}, ${told.length} told`,
      ).toBeTruthy();
    },
    3 * DEADLINE_MS,
  );
});
