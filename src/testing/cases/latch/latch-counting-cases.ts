import assert from 'node:assert/strict';
import type { Latch, Synchronizers } from '../../../index.ts';
import { type BadArgument, assertRejects, assertRejectsArgument } from '../../harness/coded-error.ts';
import { type Cases, needing } from '../../suites/suite.ts';
import { BAD_WAIT_OPTIONS, badCounts } from '../arguments/bad-arguments.ts';

/** The latch of a case. */
export const openLatch = (client: Synchronizers<'latch'>, name: string): Latch => client.latch(name);

/** The count of a latch: setting it, counting down, setting it anew. */
export const latchCountingCases: Cases<'latch'> = {
  // RedissonCountDownLatchTest.testCountDown
  'a latch that was never set is open': async (bench) => {
    const latch = openLatch(await bench.open(), bench.name);
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
    const [latch, elsewhere] = [openLatch(client, bench.name), openLatch(other, bench.name)];
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
    const latch = openLatch(await bench.open(), bench.name);
    await latch.trySetCount(3);
    assert.equal(await latch.countDown(2), 1);
    assert.equal(await latch.countDown(5), 0);
    assert.equal(await latch.countDown(), 0);
    assert.equal(await latch.count(), 0);
  },

  'a latch can be used again': async (bench) => {
    const latch = openLatch(await bench.open(), bench.name);
    for (let round = 1; round <= 3; round++) {
      assert.equal(await latch.trySetCount(round), true);
      const waiting = bench.begin(latch.await());
      for (let at = 0; at < round; at++) await latch.countDown();
      await waiting;
    }
  },

  // RedissonCountDownLatchTest.testDelete
  'a reset opens it, or sets it anew': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const [latch, elsewhere] = [openLatch(client, bench.name), openLatch(other, bench.name)];
    await latch.trySetCount(5);
    let through = false;
    const waiting = bench.begin(elsewhere.await().then(() => (through = true)));
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
    const latches = clients.map((client) => openLatch(client, bench.name));
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
    const latch = openLatch(client, bench.name);
    await latch.trySetCount(3);
    bench.loseNextReply(client);
    assert.equal(await latch.countDown(), 2);
    assert.equal(await latch.count(), 2);
    await latch.reset();
  }),

  'a latch outlives the client that set it': needing('crash', async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    await openLatch(client, bench.name).trySetCount(1);
    await bench.crash(client);
    assert.equal(await openLatch(other, bench.name).count(), 1);
    await openLatch(other, bench.name).countDown();
  }),

  'closing rejects the waiters, and every call after it': async (bench) => {
    const client = await bench.open();
    const latch = openLatch(client, bench.name);
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
    const latch = openLatch(await bench.open(), bench.name);
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
