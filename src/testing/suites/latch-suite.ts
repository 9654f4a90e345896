import assert from 'node:assert/strict';
import type { Synchronizers } from '../../index.ts';
import { BAD_WAIT_OPTIONS, badCounts } from '../cases/arguments/bad-arguments.ts';
import {
  type BadArgument,
  assertRejects,
  assertRejectsArgument,
  rejectionOf,
} from '../harness/coded-error.ts';
import { nameCases } from '../cases/arguments/name-cases.ts';
import { outageCases } from '../cases/losses/outage-cases.ts';
import { type Cases, needing, suiteOf } from './suite.ts';

const open = (client: Synchronizers<'latch'>, name: string) => client.latch(name);

const cases: Cases<'latch'> = {
  // RedissonCountDownLatchTest.testCountDown
  'a latch that was never set is open': async (bench) => {
    const latch = open(await bench.open(), bench.name);
    assert.equal(latch.name, bench.name);
    assert.equal(await latch.count(), 0);
    const start = bench.time.now();
    await latch.await();
    await latch.await({ timeoutMs: 0 });
    bench.assertWithin(start, 0);
    assert.equal(await latch.countDown(), 0);
    assert.equal(await latch.countDown(5), 0);
  },

  // RedissonCountDownLatchTest.testTrySetCount, testCount
  'a count is set only while the latch is open': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const [latch, elsewhere] = [open(client, bench.name), open(other, bench.name)];
    assert.equal(await latch.trySetCount(2), true);
    assert.equal(await elsewhere.trySetCount(7), false);
    assert.equal(await elsewhere.count(), 2);
    assert.equal(await latch.countDown(), 1);
    assert.equal(await elsewhere.countDown(), 0);
    assert.equal(await elsewhere.trySetCount(7), true);
    assert.equal(await latch.countDown(7), 0);
  },

  // RedissonCountDownLatchTest.testCountDown: never below zero
  'it never counts below zero': async (bench) => {
    const latch = open(await bench.open(), bench.name);
    await latch.trySetCount(3);
    assert.equal(await latch.countDown(2), 1);
    assert.equal(await latch.countDown(5), 0);
    assert.equal(await latch.countDown(), 0);
    assert.equal(await latch.count(), 0);
  },

  // RedissonCountDownLatchTest.testMultiAwait, RedissonCountDownLatchConcurrentTest, CountDownLatchPubSubTest
  'all who wait go on together when the last one counts down': async (bench) => {
    const clients = [await bench.open(), await bench.open(), await bench.open()];
    const latches = clients.map((client) => open(client, bench.name));
    await latches[0]!.trySetCount(12);
    let through = 0;
    const waiting = Array.from({ length: 30 }, (_, at) => latches[at % 3]!.await().then(() => through++));
    for (let at = 0; at < 11; at++) await latches[at % 3]!.countDown();
    await bench.time.sleep(bench.unit);
    assert.equal(through, 0);
    const start = bench.time.now();
    assert.equal(await latches[2]!.countDown(), 0);
    await Promise.all(waiting);
    bench.assertWithin(start, 0);
  },

  'a latch can be used again': async (bench) => {
    const latch = open(await bench.open(), bench.name);
    for (let round = 1; round <= 3; round++) {
      assert.equal(await latch.trySetCount(round), true);
      const waiting = latch.await();
      for (let at = 0; at < round; at++) await latch.countDown();
      await waiting;
    }
  },

  'all who wait go on when it opens, also if it is closed again before they look': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const [latch, elsewhere] = [open(client, bench.name), open(other, bench.name)];
    const closings = [() => [latch.countDown(), latch.trySetCount(1)], () => [latch.reset(), latch.reset(1)]];
    await latch.trySetCount(1);
    for (const closeAgain of closings) {
      const waitLimit = { timeoutMs: 10 * bench.unit };
      const waiting = [latch.await(waitLimit), elsewhere.await(waitLimit)];
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
    const latch = open(await bench.open(), bench.name);
    await latch.trySetCount(1);
    const waiting = assertRejects(() => latch.await({ timeoutMs: 2 * bench.unit }), 'ACQUIRE_TIMEOUT');
    await bench.time.sleep(1);
    await latch.reset(3);
    await latch.countDown();
    await waiting;
    await latch.reset();
  },

  // RedissonCountDownLatchTest.testAwaitTimeoutFail
  'waiting ends when the time is over': async (bench) => {
    const client = await bench.open();
    const latch = open(client, bench.name);
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
    await open(client, bench.name).trySetCount(1);
    const start = bench.time.now();
    const waiting = open(client, bench.name).await({ timeoutMs: 9 * bench.unit });
    await bench.time.sleep(bench.unit);
    await open(other, bench.name).countDown();
    await waiting;
    bench.assertElapsed(start, bench.unit);
  },

  'a wait of hours hears the last count': needing('exact time', async (bench) => {
    const latch = open(await bench.open(), bench.name);
    await latch.trySetCount(1);
    const start = bench.time.now();
    const waiting = latch.await();
    await bench.time.sleep(60 * 60 * 1000);
    await latch.countDown();
    await waiting;
    bench.assertElapsed(start, 60 * 60 * 1000);
  }),

  'an abort ends the wait at once, with the reason untouched': async (bench) => {
    const latch = open(await bench.open(), bench.name);
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
    const latch = open(await bench.open(), bench.name);
    await latch.trySetCount(1);
    const controller = bench.controller();
    const start = bench.time.now();
    const waiting = rejectionOf(() => latch.await({ signal: controller.signal, timeoutMs: 5 * bench.unit }));
    controller.abort('at once');
    assert.equal(await waiting, 'at once');
    bench.assertWithin(start, 0);
    await latch.reset();
  },

  // RedissonCountDownLatchTest.testDelete
  'a reset opens it, or sets it anew': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const [latch, elsewhere] = [open(client, bench.name), open(other, bench.name)];
    await latch.trySetCount(5);
    let through = false;
    const waiting = elsewhere.await().then(() => (through = true));
    await latch.reset(2);
    assert.equal(await elsewhere.count(), 2);
    await bench.time.sleep(bench.unit);
    assert.equal(through, false);
    await latch.reset();
    await waiting;
    assert.equal(await elsewhere.count(), 0);
    await latch.reset(1);
    assert.equal(await elsewhere.trySetCount(3), false);
    await latch.reset(0);
  },

  'many count down at once, and none is lost or counted twice': async (bench) => {
    const clients = [await bench.open(), await bench.open(), await bench.open()];
    const latches = clients.map((client) => open(client, bench.name));
    await latches[0]!.trySetCount(61);
    const left = await Promise.all(Array.from({ length: 60 }, (_, at) => latches[at % 3]!.countDown()));
    assert.deepEqual(
      left.toSorted((one, other) => one - other),
      Array.from({ length: 60 }, (_, at) => at + 1),
    );
    assert.equal(await latches[0]!.count(), 1);
    await latches[0]!.countDown();
  },

  'a count whose answer was lost counts once': needing('loseNextReply', async (bench) => {
    const client = await bench.open();
    const latch = open(client, bench.name);
    await latch.trySetCount(3);
    bench.loseNextReply(client);
    assert.equal(await latch.countDown(), 2);
    assert.equal(await latch.count(), 2);
    await latch.reset();
  }),

  'a latch outlives the client that set it': needing('crash', async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    await open(client, bench.name).trySetCount(1);
    await bench.crash(client);
    assert.equal(await open(other, bench.name).count(), 1);
    await open(other, bench.name).countDown();
  }),

  'closing rejects the waiters, and every call after it': async (bench) => {
    const client = await bench.open();
    const latch = open(client, bench.name);
    await latch.trySetCount(1);
    const waiting = assertRejects(() => latch.await(), 'CLOSED', client.label);
    await bench.time.sleep(1);
    await client.close();
    await waiting;
    for (const call of [
      () => latch.await(),
      () => latch.count(),
      () => latch.countDown(),
      () => latch.trySetCount(1),
      () => latch.reset(),
    ]) {
      await assertRejects(call, 'CLOSED', client.label);
    }
  },

  'bad arguments are refused by rejecting, and nothing is changed': async (bench) => {
    const latch = open(await bench.open(), bench.name);
    await latch.trySetCount(2);
    for (const bad of BAD_WAIT_OPTIONS)
      await assertRejectsArgument(bad, () => latch.await(bad.given as object));
    const zero = (what: string): BadArgument => ({
      given: 0,
      error: RangeError,
      names: new RegExp(`${what} must be from 1`),
    });
    for (const bad of [...badCounts('count'), zero('count')])
      await assertRejectsArgument(bad, () => latch.trySetCount(bad.given as number));
    for (const bad of [...badCounts('countDown'), zero('countDown')])
      await assertRejectsArgument(bad, () => latch.countDown(bad.given as number));
    for (const bad of badCounts('count'))
      await assertRejectsArgument(bad, () => latch.reset(bad.given as number));
    assert.equal(await latch.count(), 2);
    await latch.reset();
  },
};

/** The latch. */
export const latchSuite = suiteOf<'latch'>(
  'latch',
  cases,
  outageCases(async (client, name) => {
    const latch = open(client, name);
    await latch.trySetCount(1);
    return [(timeoutMs) => latch.await({ timeoutMs })];
  }),
  nameCases({
    make: open,
    use: async (latch) => {
      await latch.trySetCount(1);
      await latch.countDown();
    },
  }),
);
