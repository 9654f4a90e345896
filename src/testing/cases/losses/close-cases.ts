import assert from 'node:assert/strict';
import { ClosedError, type Factories } from '../../../index.ts';
import { assertCoded, assertRejects, rejectionOf } from '../../harness/coded-error.ts';
import { type ExclusiveAdapter, hasRun, isFree } from '../../harness/exclusive.ts';
import type { Cases } from '../../suites/suite.ts';

/** What becomes of holds and waiters when their client closes. */
export function closeCases<K extends keyof Factories>({ open }: ExclusiveAdapter<K>): Cases<K> {
  return {
    // Reliability H10
    'closing releases what is held and rejects the waiters': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const mine = await open(client, `${bench.name}-mine`).acquire();
      const theirs = await open(other, `${bench.name}-theirs`).acquire();
      const waiting = [
        rejectionOf(() => open(client, `${bench.name}-mine`).acquire()),
        rejectionOf(() => open(client, `${bench.name}-theirs`).acquire()),
        rejectionOf(() => open(client, `${bench.name}-theirs`).tryAcquire({ timeoutMs: 9 * bench.unit })),
      ];
      const next = bench.begin(open(other, `${bench.name}-mine`).acquire());
      await bench.untilWaiting(2, open(client, `${bench.name}-theirs`));
      const start = bench.time.now();
      await client.close();
      for (const one of waiting) {
        const error = await one;
        assertCoded(error, 'CLOSED', client.label);
        assert.ok(error instanceof ClosedError);
      }
      await (await next).release();
      bench.assertWithin(start, 0);
      await mine.release();
      await theirs.release();
    },

    // Reliability H8, H10: a release that is under way when the client closes must not restore anything.
    'closing while a release is under way leaves nothing': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const holds = await Promise.all(
        [1, 2, 3].map((at) => open(client, `${bench.name}-${at}`).acquire({ leaseMs: 20 * bench.unit })),
      );
      const released = holds.map((hold) => hold.release().catch(() => undefined));
      await Promise.all([...released, client.close()]);
      for (const at of [1, 2, 3])
        assert.ok(await isFree(open(other, `${bench.name}-${at}`)), `${at} is held`);
    },

    'closing while an acquisition is under way leaves nothing': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const acquiring = [1, 2, 3].map((at) =>
        open(client, `${bench.name}-${at}`)
          .acquire()
          .catch((error: unknown) => assertCoded(error, 'CLOSED', client.label)),
      );
      await client.close();
      await Promise.all(acquiring);
      for (const at of [1, 2, 3]) {
        const thing = open(other, `${bench.name}-${at}`);
        await (await thing.acquire({ timeoutMs: 20 * bench.unit })).release();
      }
    },

    'a hold of a closed client is good for nothing': async (bench) => {
      const client = await bench.open();
      const hold = await open(client, bench.name).acquire();
      await client.close();
      assert.equal(hold.remainingMs, 0);
      assert.throws(() => hold.throwIfLost(), 'it must not pass for a good one');
      await assert.rejects(hold.extend(5 * bench.unit), 'it must not seem to be extended');
      await hold.release();
      await hold[Symbol.asyncDispose]();
    },

    'calls on a closed client reject': async (bench) => {
      const client = await bench.open();
      const thing = open(client, bench.name);
      await client.close();
      const late = open(client, bench.name);
      for (const one of [thing, late]) {
        await assertRejects(() => one.acquire(), 'CLOSED', client.label);
        await assertRejects(() => one.acquire({ timeoutMs: 0 }), 'CLOSED', client.label);
        await assertRejects(() => one.tryAcquire(), 'CLOSED', client.label);
        await assertRejects(() => one.waiters(), 'CLOSED', client.label);
        if (hasRun(one)) {
          const never = () => assert.fail('ran on a closed client');
          await assertRejects(() => one.run(never), 'CLOSED', client.label);
        }
      }
    },
  };
}
