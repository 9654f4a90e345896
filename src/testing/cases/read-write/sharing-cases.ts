import assert from 'node:assert/strict';
import { assertIncreasing } from '../acquiring/contention-cases.ts';
import { type Cases, needing } from '../../suites/suite.ts';
import { both, read, write } from './sides.ts';

/** Readers together, writers alone. */
export const sharingCases: Cases<'readWriteLock'> = {
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
    void bench.begin(writing);
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
    void bench.begin(readers);
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
    const writing = bench.begin(write(other, bench.name).acquire());
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
