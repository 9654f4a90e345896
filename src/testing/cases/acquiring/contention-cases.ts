import assert from 'node:assert/strict';
import type { Factories } from '../../../index.ts';
import { type ExclusiveAdapter, isFree } from '../../harness/exclusive.ts';
import type { Cases } from '../../suites/suite.ts';

/** One holder at a time, however many owners ask. */
export function contentionCases<K extends keyof Factories>({ open }: ExclusiveAdapter<K>): Cases<K> {
  return {
    // RedissonLockTest.testConcurrency_SingleInstance, testConcurrency_MultiInstance
    'a hundred contenders of four clients lose no update': async (bench) => {
      const clients = await Promise.all([bench.open(), bench.open(), bench.open(), bench.open()]);
      const fences: bigint[] = [];
      let counter = 0;
      let inside = 0;
      await Promise.all(
        Array.from({ length: 100 }, async (_, at) => {
          const hold = await open(clients[at % clients.length]!, bench.name).acquire();
          assert.equal(++inside, 1);
          const seen = counter;
          await bench.time.sleep(at % 3);
          counter = seen + 1;
          fences.push(hold.fence);
          inside--;
          await hold.release();
        }),
      );
      assert.equal(counter, 100);
      assertIncreasing(fences);
    },

    // RedissonLockTest.testLockUnlock
    'it can be held again and again': async (bench) => {
      const thing = open(await bench.open(), bench.name);
      for (let round = 0; round < 3; round++) {
        const hold = await thing.acquire();
        assert.equal(await thing.tryAcquire(), null);
        await hold.release();
      }
      assert.ok(await isFree(thing));
    },

    // RedissonLockTest.testIsHeldByCurrentThreadOtherThread, testReentrancy (the other thread)
    'outside a scope every acquisition is an owner of its own': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const thing = open(client, bench.name);
      const hold = await thing.acquire();
      assert.equal(await thing.tryAcquire(), null, 'the same object');
      assert.equal(await open(client, bench.name).tryAcquire(), null, 'the same client');
      assert.equal(await open(other, bench.name).tryAcquire(), null, 'another client');
      await hold.release();
      assert.ok(await isFree(open(other, bench.name)));
    },

    'other names are other things': async (bench) => {
      const client = await bench.open();
      const holds = await Promise.all(
        Array.from({ length: 20 }, (_, at) => open(client, `${bench.name}-${at}`).acquire({ timeoutMs: 0 })),
      );
      await Promise.all(holds.map((hold) => hold.release()));
    },

    // RedissonFencedLockTest.testTokenIncrease; and the record of a free lock may go in between
    'fences increase over grants, clients, and records that went away': async (bench) => {
      const clients = [await bench.open(), await bench.open()];
      const fences: bigint[] = [];
      for (let round = 0; round < 6; round++) {
        const hold = await open(clients[round % 2]!, bench.name).acquire();
        fences.push(hold.fence);
        await hold.release();
        await useManyOthers(open(clients[0]!, `${bench.name}-other`));
      }
      assertIncreasing(fences);
    },

    'a fence stays readable after the release': async (bench) => {
      const hold = await open(await bench.open(), bench.name).acquire();
      const { fence } = hold;
      await hold.release();
      assert.equal(hold.fence, fence);
      assert.equal(hold.remainingMs, 0);
      assert.equal(hold.lost.aborted, false);
    },
  };

  /** Engines sweep free records in passing: gives them occasion to. */
  async function useManyOthers(thing: ReturnType<typeof open>): Promise<void> {
    for (let use = 0; use < 70; use++) await (await thing.acquire()).release();
  }
}

/** Asserts that each fence is larger than the one before. */
export function assertIncreasing(fences: readonly bigint[]): void {
  fences.forEach((fence, at) => {
    assert.ok(at === 0 || fence > fences[at - 1]!, `fence ${fence} after ${fences[at - 1]}`);
  });
}
