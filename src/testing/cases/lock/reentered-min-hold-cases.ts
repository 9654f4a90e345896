import type { Factories } from '../../../index.ts';
import { type Cases, needing } from '../../suites/suite.ts';
import { allNeedingMinHold, type TimedAdapter } from './min-hold-cases.ts';

/** Holds that are to last only because their owner re-enters them so. */
export function reenteredMinHoldCases<K extends keyof Factories>({ open }: TimedAdapter<K>): Cases<K> {
  return allNeedingMinHold<K>({
    'a hold that re-enters with minHoldMs counts from its own beginning': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const lock = open(client, bench.name);
      const owner = client.owner();
      const start = bench.time.now();
      const outer = await lock.acquire({ owner, minHoldMs: 2 * bench.unit });
      await bench.time.sleep(bench.unit);
      const inner = await lock.acquire({ owner, minHoldMs: 2 * bench.unit });
      await inner.release();
      outer.throwIfLost();
      await outer.release();
      await (await open(other, bench.name).acquire()).release();
      bench.assertElapsed(start, 3 * bench.unit);
    },

    'a hold that re-enters with minHoldMs is not handed over to a waiter that asked together with it': async (
      bench,
    ) => {
      const lock = open(await bench.open(), bench.name);
      const start = bench.time.now();
      const first = lock.run(async () => {
        await (await lock.acquire({ minHoldMs: 3 * bench.unit })).release();
      });
      const second = bench.begin(lock.acquire());
      await first;
      await (await second).release();
      bench.assertNotBefore(start, 3 * bench.unit);
    },

    'minHoldMs of a hold that re-enters outlives its process, also under a hold that was to last less':
      needing('crash', async (bench) => {
        const [client, other] = [await bench.open({ renewalLeaseMs: 2 * bench.unit }), await bench.open()];
        const minHoldMs = 5 * bench.unit;
        const [plain, lasting] = ['plain', 'lasting'].map((which) => `${bench.name}-${which}`);
        const owner = client.owner();
        await open(client, plain!).acquire({ owner });
        await open(client, lasting!).acquire({ owner, minHoldMs: bench.unit });
        const start = bench.time.now();
        for (const name of [plain!, lasting!]) await open(client, name).acquire({ owner, minHoldMs });
        await bench.crash(client);
        for (const name of [plain!, lasting!]) {
          await (await open(other, name).acquire()).release();
          bench.assertNotBefore(start, minHoldMs);
        }
      }),

    'minHoldMs of a hold that re-enters a lease lengthens that lease': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const lock = open(client, bench.name);
      const owner = client.owner();
      const outer = await lock.acquire({ owner, leaseMs: 2 * bench.unit });
      const start = bench.time.now();
      const minHoldMs = 4 * bench.unit;
      const inner = await lock.acquire({ owner, leaseMs: minHoldMs, minHoldMs });
      await bench.time.sleep(2.5 * bench.unit);
      inner.throwIfLost();
      await inner.release();
      await outer.release();
      await (await open(other, bench.name).acquire()).release();
      bench.assertNotBefore(start, minHoldMs);
    },
  });
}
