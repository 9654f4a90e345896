import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import type { Factories } from '../../../index.ts';
import { rejectionOf } from '../../harness/coded-error.ts';
import { type ExclusiveAdapter, isFree } from '../../harness/exclusive.ts';
import type { Cases } from '../../suites/suite.ts';

/** Node warns of a leak at more listeners than this on one signal. */
const MOST_LISTENERS = 10;

/** Waits that an abort signal ends. */
export function abortCases<K extends keyof Factories>(adapter: ExclusiveAdapter<K>): Cases<K> {
  const { open, crowd = 250 } = adapter;
  return {
    'an abort ends the wait at once, with the reason untouched': async (bench) => {
      const clients = [await bench.open(), await bench.open(), await bench.open()];
      const things = clients.map((client) => open(client, bench.name));
      const hold = await things[0]!.acquire();
      const controller = bench.controller();
      const reason = { not: 'even an error' };
      const { signal } = controller;
      const rejected = [
        rejectionOf(() => things[0]!.acquire({ signal })),
        rejectionOf(() => things[1]!.acquire({ signal })),
        rejectionOf(() => things[2]!.tryAcquire({ signal, timeoutMs: 10 * bench.unit })),
      ];
      await bench.untilWaiting(3, ...things);
      const start = bench.time.now();
      controller.abort(reason);
      for (const one of rejected) assert.equal(await one, reason);
      bench.assertWithin(start, 0);
      await bench.untilWaiting(0, ...things);
      await hold.release();
      assert.ok(await isFree(things[1]!));
    },

    'an abort in the same turn as the call is heard': async (bench) => {
      const thing = open(await bench.open(), bench.name);
      const hold = await thing.acquire();
      const controller = bench.controller();
      const rejected = rejectionOf(() => thing.acquire({ signal: controller.signal }));
      const start = bench.time.now();
      controller.abort('at once');
      assert.equal(await rejected, 'at once');
      bench.assertWithin(start, 0);
      await hold.release();
    },

    'an abort without a reason rejects with an AbortError': async (bench) => {
      const thing = open(await bench.open(), bench.name);
      const hold = await thing.acquire();
      const controller = bench.controller();
      const rejected = rejectionOf(() => thing.acquire({ signal: controller.signal }));
      controller.abort();
      assert.equal(await rejected, controller.signal.reason);
      await hold.release();
    },

    'a signal that has aborted already refuses even what is free': async (bench) => {
      const thing = open(await bench.open(), bench.name);
      const reason = new Error('too late');
      const signal = AbortSignal.abort(reason);
      assert.equal(await rejectionOf(() => thing.acquire({ signal })), reason);
      assert.equal(await rejectionOf(() => thing.tryAcquire({ signal })), reason);
      assert.equal(await rejectionOf(() => thing.acquire({ signal, timeoutMs: 0 })), reason);
      assert.ok(await isFree(thing));
    },

    'an abort after the grant changes nothing': async (bench) => {
      const thing = open(await bench.open(), bench.name);
      const controller = bench.controller();
      const hold = await thing.acquire({ signal: controller.signal });
      controller.abort();
      hold.throwIfLost();
      assert.equal(hold.lost.aborted, false);
      assert.equal(await thing.tryAcquire(), null);
      await hold.release();
    },

    // Node warns of a leak at eleven listeners, and many waiters share the signal of a request or of a shutdown.
    'hundreds of waiters share one signal without a leak': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const thing = open(client, bench.name);
      const hold = await open(other, bench.name).acquire();
      const controller = bench.controller();
      const { signal } = controller;
      const waits = Array.from({ length: crowd }, () => rejectionOf(() => thing.acquire({ signal })));
      await bench.untilWaiting(crowd, thing);
      assert.ok(getEventListeners(signal, 'abort').length <= MOST_LISTENERS);
      controller.abort('enough');
      assert.ok((await Promise.all(waits)).every((reason) => reason === 'enough'));
      await bench.untilWaiting(0, thing);
      await hold.release();
      assert.ok(await isFree(thing));
    },

    'holds taken with one signal leave no listener on it': async (bench) => {
      const thing = open(await bench.open(), bench.name);
      const { signal } = bench.controller();
      for (let round = 0; round < 20; round++) {
        await (await thing.acquire({ signal, timeoutMs: bench.unit })).release();
        assert.ok(getEventListeners(signal, 'abort').length <= 1);
      }
    },
  };
}
