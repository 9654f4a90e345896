import assert from 'node:assert/strict';
import { assertRejects, rejectionOf } from '../../harness/coded-error.ts';
import { type Cases, needing } from '../../suites/suite.ts';
import { openLatch } from './latch-counting-cases.ts';

/** Waiting for a latch to open. */
export const latchWaitingCases: Cases<'latch'> = {
  // RedissonCountDownLatchTest.testMultiAwait, RedissonCountDownLatchConcurrentTest, CountDownLatchPubSubTest
  'all who wait go on together when the last one counts down': async (bench) => {
    const clients = [await bench.open(), await bench.open(), await bench.open()];
    const latches = clients.map((client) => openLatch(client, bench.name));
    await latches[0]!.trySetCount(12);
    let through = 0;
    const waiting = bench.begin(
      Array.from({ length: 30 }, (_, at) => latches[at % 3]!.await().then(() => through++)),
    );
    for (let at = 0; at < 11; at++) await latches[at % 3]!.countDown();
    await bench.time.sleep(bench.unit);
    assert.equal(through, 0);
    const start = bench.time.now();
    assert.equal(await latches[2]!.countDown(), 0);
    await Promise.all(waiting);
    bench.assertWithin(start, 0);
  },

  'all who wait go on when it opens, also if it is closed again before they look': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const [latch, elsewhere] = [openLatch(client, bench.name), openLatch(other, bench.name)];
    const closings = [() => [latch.countDown(), latch.trySetCount(1)], () => [latch.reset(), latch.reset(1)]];
    await latch.trySetCount(1);
    for (const closeAgain of closings) {
      const waitLimit = { timeoutMs: 10 * bench.unit };
      const waiting = bench.begin([latch.await(waitLimit), elsewhere.await(waitLimit)]);
      await bench.time.sleep(bench.unit);
      const start = bench.time.now();
      await Promise.all(closeAgain());
      await Promise.all(waiting);
      bench.assertWithin(start, 0);
      assert.equal(await latch.count(), 1);
    }
    await latch.reset();
  },

  'a reset to another count opens nothing': async (bench) => {
    const latch = openLatch(await bench.open(), bench.name);
    await latch.trySetCount(1);
    const waiting = bench.begin(
      assertRejects(() => latch.await({ timeoutMs: 2 * bench.unit }), 'ACQUIRE_TIMEOUT'),
    );
    await bench.time.sleep(1);
    await latch.reset(3);
    await latch.countDown();
    await waiting;
    await latch.reset();
  },

  // RedissonCountDownLatchTest.testAwaitTimeoutFail
  'waiting ends when the time is over': async (bench) => {
    const client = await bench.open();
    const latch = openLatch(client, bench.name);
    await latch.trySetCount(1);
    const start = bench.time.now();
    await assertRejects(() => latch.await({ timeoutMs: 2 * bench.unit }), 'ACQUIRE_TIMEOUT', client.label);
    bench.assertElapsed(start, 2 * bench.unit);
    await assertRejects(() => latch.await({ timeoutMs: 0 }), 'ACQUIRE_TIMEOUT', client.label);
    bench.assertElapsed(start, 2 * bench.unit);
    assert.equal(await latch.count(), 1);
    await latch.reset();
  },

  // RedissonCountDownLatchTest.testAwaitTimeout
  'waiting with a time-out ends when it opens before': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    await openLatch(client, bench.name).trySetCount(1);
    const start = bench.time.now();
    const waiting = bench.begin(openLatch(client, bench.name).await({ timeoutMs: 9 * bench.unit }));
    await bench.time.sleep(bench.unit);
    await openLatch(other, bench.name).countDown();
    await waiting;
    bench.assertElapsed(start, bench.unit);
  },

  'a wait of hours hears the last count': needing('exact time', async (bench) => {
    const latch = openLatch(await bench.open(), bench.name);
    await latch.trySetCount(1);
    const start = bench.time.now();
    const waiting = bench.begin(latch.await());
    await bench.time.sleep(60 * 60 * 1000);
    await latch.countDown();
    await waiting;
    bench.assertElapsed(start, 60 * 60 * 1000);
  }),

  'an abort ends the wait at once, with the reason untouched': async (bench) => {
    const latch = openLatch(await bench.open(), bench.name);
    await latch.trySetCount(1);
    const reason = { stop: true };
    assert.equal(await rejectionOf(() => latch.await({ signal: AbortSignal.abort(reason) })), reason);
    const controller = bench.controller();
    const waiting = rejectionOf(() => latch.await({ signal: controller.signal }));
    await bench.time.sleep(bench.unit);
    const start = bench.time.now();
    controller.abort(reason);
    assert.equal(await waiting, reason);
    bench.assertWithin(start, 0);
    await latch.reset();
  },

  'an abort in the same turn as the call is heard': async (bench) => {
    const latch = openLatch(await bench.open(), bench.name);
    await latch.trySetCount(1);
    const controller = bench.controller();
    const start = bench.time.now();
    const waiting = rejectionOf(() => latch.await({ signal: controller.signal, timeoutMs: 5 * bench.unit }));
    controller.abort('at once');
    assert.equal(await waiting, 'at once');
    bench.assertWithin(start, 0);
    await latch.reset();
  },
};
