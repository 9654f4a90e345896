import assert from 'node:assert/strict';
import { type Synchronizers, UpgradeError } from '../../index.ts';
import { assertRejects } from '../harness/coded-error.ts';
import { assertIncreasing } from '../cases/acquiring/contention-cases.ts';
import { exclusiveCases } from '../cases/acquiring/exclusive-cases.ts';
import { inspectionCases } from '../cases/inspection-cases.ts';
import { nameCases } from '../cases/arguments/name-cases.ts';
import { ownerCases } from '../cases/reentry/owner-cases.ts';
import { reentrantCases } from '../cases/reentry/reentrant-cases.ts';
import { outageCases } from '../cases/losses/outage-cases.ts';
import { type Cases, needing, merged, prefixed, suiteOf } from './suite.ts';

type ReadWriteLockClient = Synchronizers<'readWriteLock'>;

const both = (client: ReadWriteLockClient, name: string) => client.readWriteLock(name);
const read = (client: ReadWriteLockClient, name: string) => client.readWriteLock(name).read;
const write = (client: ReadWriteLockClient, name: string) => client.readWriteLock(name).write;
const writeSide = { open: write, rival: write };
const readSide = { open: read, rival: write };

const sharingCases: Cases<'readWriteLock'> = {
  // RedissonReadWriteLockTest.testMultiRead
  'many read together, and a writer waits for all of them': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const readers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => read(at % 2 === 0 ? client : other, bench.name).acquire()),
    );
    assert.equal(await write(client, bench.name).tryAcquire(), null);
    let reading = readers.length;
    const writing = write(other, bench.name)
      .acquire()
      .then((hold) => {
        assert.equal(reading, 0);
        return hold.release();
      });
    await bench.untilWaiting(1, write(other, bench.name));
    for (const reader of readers) {
      reading--;
      await reader.release();
    }
    await writing;
  },

  // RedissonReadWriteLockTest.testWriteRead
  'readers behind a writer are granted together': async (bench) => {
    const clients = [await bench.open(), await bench.open()];
    const writing = await write(clients[0]!, bench.name).acquire();
    let reading = 0;
    let most = 0;
    const readers = Array.from({ length: 20 }, (_, at) =>
      read(clients[at % 2]!, bench.name).run(async () => {
        most = Math.max(most, ++reading);
        await bench.time.sleep(bench.unit);
        reading--;
      }),
    );
    await bench.untilWaiting(20, ...clients.map((client) => read(client, bench.name)));
    const start = bench.time.now();
    await writing.release();
    await Promise.all(readers);
    bench.assertElapsed(start, bench.unit);
    assert.equal(most, 20);
  },

  'no reader is in beside a writer, over four clients': async (bench) => {
    const clients = [await bench.open(), await bench.open(), await bench.open(), await bench.open()];
    let [readers, writers, most, value] = [0, 0, 0, 0];
    await Promise.all(
      Array.from({ length: 120 }, async (_, at) => {
        const lock = both(clients[at % 4]!, bench.name);
        if (at % 5 === 0) {
          await lock.write.run(async () => {
            assert.deepEqual([readers, ++writers], [0, 1]);
            const seen = value;
            await bench.time.sleep(1);
            value = seen + 1;
            writers--;
          });
        } else {
          await lock.read.run(async () => {
            assert.equal(writers, 0);
            most = Math.max(most, ++readers);
            await bench.time.sleep(1);
            readers--;
          });
        }
      }),
    );
    assert.equal(value, 24);
    assert.ok(most > 1, 'readers were together');
  },

  // RedissonReadWriteLockTest.testReadLockExpiration, testReadLockLeaseTimeoutDiffThreadsRRW
  'a writer waits for the longest of the leases, however the others end': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const start = bench.time.now();
    await read(client, bench.name).acquire({ leaseMs: 4 * bench.unit });
    await read(client, bench.name).acquire({ leaseMs: 2 * bench.unit });
    const released = await read(other, bench.name).acquire({ leaseMs: 8 * bench.unit });
    const writing = write(other, bench.name).acquire();
    await bench.untilWaiting(1, write(other, bench.name));
    await bench.time.sleep(bench.unit);
    await released.release();
    const hold = await writing;
    bench.assertElapsed(start, 4 * bench.unit);
    await hold.release();
  },

  // RedissonReadWriteLockTest.testReadLockLeaseTimeoutDiffThreadsWRR, testExpireWrite
  'readers are granted when the lease of a writer ends': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const start = bench.time.now();
    const writing = await write(client, bench.name).acquire({ leaseMs: 2 * bench.unit });
    const readers = await Promise.all([
      read(client, bench.name).acquire(),
      read(other, bench.name).acquire(),
    ]);
    bench.assertElapsed(start, 2 * bench.unit);
    assert.equal(writing.lost.aborted, true);
    for (const reader of readers) await reader.release();
  },

  'fences increase over both sides': async (bench) => {
    const lock = both(await bench.open(), bench.name);
    const fences: bigint[] = [];
    for (let round = 0; round < 4; round++) {
      for (const side of [lock.write, lock.read, lock.read]) {
        await side.run((hold) => void fences.push(hold.fence));
      }
    }
    assertIncreasing(fences);
  },

  // RedissonReadWriteLockTest.testMultiInstanceReadLockZombieCleanup
  'a reader that died does not keep writers out': needing('crash', async (bench) => {
    const renewalLeaseMs = 3 * bench.unit;
    const [dying, living, writer] = [
      await bench.open({ renewalLeaseMs }),
      await bench.open({ renewalLeaseMs }),
      await bench.open(),
    ];
    await read(dying, bench.name).acquire();
    const reading = await read(living, bench.name).acquire();
    await bench.crash(dying);
    await bench.time.sleep(2 * renewalLeaseMs);
    await reading.release();
    const start = bench.time.now();
    const hold = await write(writer, bench.name).acquire();
    bench.assertWithin(start, 0);
    await hold.release();
  }),
};

const twoSidesCases: Cases<'readWriteLock'> = {
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
    const waiting = read(other, bench.name).acquire();
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

/** Both sides of the read-write lock; each of them is a lock too. */
export const readWriteLockSuite = suiteOf<'readWriteLock'>(
  'readWriteLock',
  prefixed(
    'write side',
    merged(
      exclusiveCases(writeSide),
      reentrantCases(writeSide),
      ownerCases(writeSide),
      inspectionCases(writeSide),
    ),
  ),
  prefixed(
    'read side',
    merged(
      reentrantCases(readSide),
      ownerCases(readSide),
      inspectionCases(readSide),
      outageCases(async (client: ReadWriteLockClient, name) => {
        const lock = read(client, name);
        await lock.run(() => undefined);
        return [(timeoutMs) => lock.tryAcquire({ timeoutMs }), (timeoutMs) => lock.acquire({ timeoutMs })];
      }),
    ),
  ),
  nameCases({
    make: both,
    use: async ({ read: reading, write: writing }) => {
      await reading.run(() => undefined);
      await writing.run(() => undefined);
    },
  }),
  sharingCases,
  twoSidesCases,
);
