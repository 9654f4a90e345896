import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import { databases } from './databases.ts';
import { startSqlProgram } from './sql-program.ts';

const DEADLINE_MS = 60_000;
const KILLS = 4;

for (const [title, database] of Object.entries(databases)) {
  describeWith(database.program)(`processes on ${title}`, () => {
    let server: Awaited<ReturnType<typeof database.start>>;
    beforeAll(async () => {
      server = await database.start();
    }, DEADLINE_MS);
    afterAll(() => server?.stop());

    const plan = (more: object) => ({
      engine: database.engine,
      url: server.url,
      renewalLeaseMs: 2000,
      ...more,
    });

    test(
      'a stopped holder keeps its lease, and knows that it has lost when it wakes (soundness 6)',
      async () => {
        await using holder = startSqlProgram('holder', plan({ name: 'stopped' }));
        const { fence } = await holder.fact('held', DEADLINE_MS);
        await using locks = database.open(server.url);
        await holder.pause();
        expect(await locks.lock('stopped').tryAcquire()).toBe(null);
        const hold = await locks.lock('stopped').acquire();
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
      'one that is stopped while it has a row to itself loses it when its waitLimit is over (soundness 21)',
      async () => {
        await using locks = database.open(server.url);
        const before = await locks.lock('has the row').run(({ fence }) => fence);
        await using frozen = startSqlProgram('frozen', plan({ name: 'has the row', commandTimeoutMs: 1000 }));
        await frozen.fact('has the row', DEADLINE_MS);
        // The server gives the row away, and not because the stopped process says so.
        const hold = await locks.lock('has the row').acquire({ timeoutMs: DEADLINE_MS / 2 });
        expect(hold.fence > before).toBeTruthy();
        frozen.resume();
        await frozen.fact('went on', DEADLINE_MS);
        hold.throwIfLost();
        expect((await locks.lock('has the row').holder())?.fence).toBe(hold.fence);
        await hold.release();
        await frozen.end();
      },
      2 * DEADLINE_MS,
    );

    test(
      'four of them increment a number, and one is killed every second',
      async () => {
        const folder = mkdtempSync(join(tmpdir(), 'holdfast-sql-'));
        const counter = join(folder, 'counter.json');
        writeFileSync(counter, JSON.stringify({ value: 0, fence: '0' }));
        const start = () => startSqlProgram('incrementer', plan({ counter }));
        const living = Array.from({ length: 4 }, start);
        const all = [...living];
        try {
          for (let round = 0; round < KILLS; round++) {
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
          const { value } = JSON.parse(readFileSync(counter, 'utf8')) as { value: number };
          const facts = all.flatMap((one) => one.facts);
          expect(facts.filter(({ what }) => what === 'disorder')).toStrictEqual([]);
          const told = readFileSync(`${counter}.told`, 'utf8').trim().split('\n');
          const numbers = told.map((line) => Number(line.split(' ')[0]));
          const fences = told.map((line) => BigInt(line.split(' ')[1]!));
          // The client that is killed may have written a number and not reported it; no number is reported twice or out of turn.
          expect(numbers.every((number, at) => at === 0 || number > numbers[at - 1]!)).toBeTruthy();
          expect(fences.every((fence, at) => at === 0 || fence > fences[at - 1]!)).toBeTruthy();
          expect(
            value - told.length <= KILLS && value === numbers.at(-1)!,
            `${value}, ${told.length} told`,
          ).toBeTruthy();
        } finally {
          await Promise.all(all.map((one) => one[Symbol.asyncDispose]()));
          rmSync(folder, { recursive: true, force: true });
        }
      },
      4 * DEADLINE_MS,
    );
  });
}
