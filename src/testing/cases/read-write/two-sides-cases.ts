import assert from 'node:assert/strict';
import { UpgradeError } from '../../../index.ts';
import { assertRejects } from '../../harness/coded-error.ts';
import { type Cases, needing } from '../../suites/suite.ts';
import { assertAttemptsHear } from '../losses/attempt-outage-cases.ts';
import { both, read, write } from './sides.ts';

/** What the two sides of one lock are to each other. */
export const twoSidesCases: Cases<'readWriteLock'> = {
  // RedissonReadWriteLockTest.testWriteReadReentrancy, testWR
  'a writer may read, and keeps reading when it stops to write': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const lock = both(client, bench.name);
    const elsewhere = both(other, bench.name);
    const reading = await lock.write.run(async () => {
      const hold = await lock.read.acquire();
      assert.equal(await elsewhere.read.tryAcquire(), null, 'others may not read yet');
      return hold;
    });
    reading.throwIfLost();
    assert.equal(await elsewhere.write.tryAcquire(), null, 'no writer is granted yet');
    const second = await elsewhere.read.tryAcquire();
    assert.ok(second, 'others may read now');
    await second.release();
    await reading.release();
    await elsewhere.write.run(() => undefined);
  },

  'readers that waited for a writer come in when it only reads any more': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const owner = client.owner();
    const lock = both(client, bench.name);
    const writing = await lock.write.acquire({ owner });
    const waiting = bench.begin(read(other, bench.name).acquire());
    await bench.untilWaiting(1, read(other, bench.name));
    const reading = await lock.read.acquire({ owner });
    const start = bench.time.now();
    await writing.release();
    const second = await waiting;
    bench.assertWithin(start, 0);
    assert.equal(await write(other, bench.name).tryAcquire(), null);
    await reading.release();
    await second.release();
  },

  'a read side that was given back leaves the write side held': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const lock = both(client, bench.name);
    await lock.write.run(async () => {
      await lock.read.run(() => undefined);
      assert.equal(await lock.write.isLocked(), true);
      assert.equal(await read(other, bench.name).tryAcquire(), null);
    });
  },

  'a single attempt to read under a write, behind another, hears of an outage too': needing(
    'silence',
    async (bench) => {
      const client = await bench.open();
      const lock = both(client, bench.name);
      await lock.write.run(async () => {
        const speak = bench.silence(client);
        await assertAttemptsHear(bench, client, lock.read);
        speak();
      });
    },
  ),

  'a reader that asks for the write side is refused at once': async (bench) => {
    const client = await bench.open();
    const lock = both(client, bench.name);
    const start = bench.time.now();
    await lock.read.run(async (reading) => {
      const error = await assertRejects(() => lock.write.acquire(), 'UPGRADE_REFUSED', client.label);
      assert.ok(error instanceof UpgradeError);
      await assertRejects(() => lock.write.tryAcquire(), 'UPGRADE_REFUSED');
      await assertRejects(() => lock.write.run(() => undefined), 'UPGRADE_REFUSED');
      reading.throwIfLost();
    });
    const owner = client.owner();
    const reading = await lock.read.acquire({ owner });
    await assertRejects(() => lock.write.acquire({ owner }), 'UPGRADE_REFUSED', client.label);
    bench.assertWithin(start, 0);
    await reading.release();
    await (await lock.write.acquire({ owner })).release();
  },

  'the write side may be taken again under itself and its own read side': async (bench) => {
    const lock = both(await bench.open(), bench.name);
    await lock.write.run(() =>
      lock.read.run(async () => {
        assert.deepEqual([lock.read.holdCount(), lock.write.holdCount()], [1, 1]);
      }),
    );
    assert.equal(await lock.read.isLocked(), false);
    assert.equal(await lock.write.isLocked(), false);
  },

  // RedissonReadWriteLockTest.testReadLockIsLocked
  'each side tells of itself': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const lock = both(client, bench.name);
    const seen = both(other, bench.name);
    assert.deepEqual([lock.name, lock.read.name, lock.write.name], [bench.name, bench.name, bench.name]);
    assert.deepEqual([lock.read.kind, lock.write.kind], ['readLock', 'writeLock']);
    const locked = async () => [await seen.read.isLocked(), await seen.write.isLocked()];
    assert.deepEqual(await locked(), [false, false]);
    await lock.write.run(async () => {
      assert.deepEqual(await locked(), [false, true]);
      await lock.read.run(async () => assert.deepEqual(await locked(), [true, true]));
    });
    await lock.read.run(async () => assert.deepEqual(await locked(), [true, false]));
    assert.deepEqual(await locked(), [false, false]);
  },

  'of several readers the one that stays longest is shown': async (bench) => {
    const lock = both(await bench.open(), bench.name);
    const short = await lock.read.acquire({ leaseMs: 2 * bench.unit });
    const long = await lock.read.acquire({ leaseMs: 9 * bench.unit });
    const middle = await lock.read.acquire({ leaseMs: 4 * bench.unit });
    assert.equal((await lock.read.holder())?.fence, long.fence);
    bench.assertAbout(await lock.read.remainingMs(), 9 * bench.unit);
    for (const hold of [short, long, middle]) await hold.release();
  },

  // RedissonReadWriteLockTest.testForceUnlock
  'a forced release of one side leaves the other alone': async (bench) => {
    const client = await bench.open();
    const lock = both(client, bench.name);
    const readers = [await lock.read.acquire(), await lock.read.acquire()];
    assert.equal(await lock.write.forceRelease(), false);
    assert.equal(await lock.read.isLocked(), true);
    assert.equal(await lock.read.forceRelease(), true, 'all readers');
    assert.equal(await lock.read.isLocked(), false);
    for (const reader of readers) await assertRejects(() => reader.release(), 'LEASE_LOST');
    const writing = await lock.write.acquire();
    assert.equal(await lock.read.forceRelease(), false);
    assert.equal(await lock.write.isLocked(), true);
    await writing.release();
  },

  'a forced release with a fence takes away one reader': async (bench) => {
    const lock = both(await bench.open(), bench.name);
    const [one, two] = [await lock.read.acquire(), await lock.read.acquire()];
    assert.equal(await lock.read.forceRelease({ fence: one.fence }), true);
    assert.equal(await lock.read.isLocked(), true);
    await assertRejects(() => one.release(), 'LEASE_LOST');
    await two.release();
  },
};
