import { expect, test } from 'vitest';
import { isHoldfastError } from '../../../src/index.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import { databases, type OpenedLocks } from './databases.ts';

const DEADLINE_MS = 60_000;
const CRASHES = 2;
/** Longer than a crash and a start take, so that a hold can be renewed over both. */
const LEASE_MS = 15_000;

for (const [title, database] of Object.entries(databases)) {
  describeWith(database.program)(`${title}, killed and started again under load`, () => {
    test(
      'loses no hold, gives out no fence twice, and strands no waiter',
      async () => {
        await using server = await database.start();
        const settings = { renewalLeaseMs: LEASE_MS, commandTimeoutMs: 1000 };
        await using one = database.open(server.url, { ...settings, client: database.clients[0]! });
        await using other = database.open(server.url, { ...settings, client: database.clients[1]! });
        const held = await one.lock('held').acquire();
        const waiting = other.lock('held').acquire();
        let inside = 0;
        let done = 0;
        let working = true;
        const fences: bigint[] = [];
        const refusals = new Set<unknown>();
        const work = async (locks: OpenedLocks): Promise<void> => {
          while (working) {
            try {
              await locks.lock('busy').run(async (hold) => {
                expect(inside++, 'alone').toBe(0);
                fences.push(hold.fence);
                await new Promise((resolve) => setImmediate(resolve));
                inside--;
                done++;
              });
            } catch (error) {
              if (!isHoldfastError(error)) throw error;
              refusals.add(error.code);
            }
          }
        };
        const workers = [one, one, other, other].map(work);
        const worksOn = async (): Promise<void> => {
          const before = done;
          await waitFor('they work', () => done > before + 20, DEADLINE_MS);
        };
        for (let time = 0; time < CRASHES; time++) {
          await worksOn();
          await server.kill();
          await server.restart();
        }
        await worksOn();
        working = false;
        await Promise.all(workers);
        held.throwIfLost();
        await held.release();
        const next = await waiting;
        expect(next.fence).toBeGreaterThan(held.fence);
        await next.release();
        // What was not acquired while the server was away, or was lost then: nothing else.
        expect([...refusals].filter((code) => code !== 'ENGINE' && code !== 'LEASE_LOST')).toStrictEqual([]);
        expect(fences.every((fence, at) => at === 0 || fence > fences[at - 1]!)).toBe(true);
      },
      3 * DEADLINE_MS,
    );
  });
}
