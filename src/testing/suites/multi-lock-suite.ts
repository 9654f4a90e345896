import assert from 'node:assert/strict';
import { LeaseLostError, type Lock, multiLock, type MultiLock } from '../../index.ts';
import type { Bench } from '../harness/bench.ts';
import { assertRejects } from '../harness/coded-error.ts';
import { assertAllFree, composedCases, type ComposedKinds } from '../cases/composed/composed-cases.ts';
import { lossOf } from '../cases/losses/lease-cases.ts';
import { memberCases } from '../cases/composed/member-cases.ts';
import { outageCases } from '../cases/losses/outage-cases.ts';
import { type Cases, suiteOf } from './suite.ts';

type MultiBench = Bench<ComposedKinds>;

/** One member on each of three engine objects, as in a fleet that uses several stores. */
async function members(bench: MultiBench): Promise<readonly Lock[]> {
  const labels = ['one', 'two', 'three'];
  const renewalLeaseMs = 3 * bench.unit;
  const clients = await Promise.all(labels.map((label) => bench.open({ label, renewalLeaseMs })));
  return clients.map((client, at) => client.lock(`${bench.name}-${at}`));
}

async function compose(bench: MultiBench): Promise<MultiLock> {
  return multiLock(await members(bench));
}

const allOrNothingCases: Cases<ComposedKinds> = {
  // RedissonMultiLockTest.test, testLockUnlock
  'it holds every member, and has a fence of each in the order given': async (bench) => {
    const locks = (await members(bench)).toReversed();
    const hold = await multiLock(locks).acquire();
    const holders = await Promise.all(locks.map((lock) => lock.holder()));
    assert.deepEqual(
      hold.fences,
      holders.map((holder) => holder?.fence),
    );
    await hold.release();
    await assertAllFree({ locks });
  },

  'one member that is held elsewhere is enough to have none': async (bench) => {
    const [mine, theirs] = [await members(bench), await members(bench)];
    for (const lock of theirs) {
      const hold = await lock.acquire();
      assert.equal(await multiLock(mine).tryAcquire(), null);
      await assertRejects(() => multiLock(mine).acquire({ timeoutMs: bench.unit / 2 }), 'ACQUIRE_TIMEOUT');
      assert.deepEqual(
        await Promise.all(mine.map((one) => one.isLocked())),
        mine.map(({ name }) => name === lock.name),
      );
      await hold.release();
    }
  },

  // Soundness 17
  'the others are not kept while one is waited for': async (bench) => {
    const [mine, theirs] = [await members(bench), await members(bench)];
    const hold = await theirs[2]!.acquire();
    const waiting = bench.begin(multiLock(mine).acquire());
    await bench.time.sleep(bench.unit);
    for (const other of theirs.slice(0, 2)) {
      const start = bench.time.now();
      await (await other.acquire({ timeoutMs: 5 * bench.unit })).release();
      bench.assertWithin(start, 0);
    }
    await hold.release();
    await (await waiting).release();
  },

  'two over the same locks in opposite order never wait for each other': async (bench) => {
    const [mine, theirs] = [await members(bench), await members(bench)];
    const [forth, back] = [multiLock(mine), multiLock(theirs.toReversed())];
    let [counter, inside] = [0, 0];
    const work = async (lock: MultiLock) => {
      for (let round = 0; round < 15; round++) {
        await lock.run(async () => {
          assert.equal(++inside, 1);
          const seen = counter;
          await bench.time.sleep(1);
          counter = seen + 1;
          inside--;
        });
      }
    };
    await Promise.all([work(forth), work(back), work(forth), work(back)]);
    assert.equal(counter, 60);
  },

  'philosophers eat': async (bench) => {
    const clients = await Promise.all(Array.from({ length: 5 }, () => bench.open()));
    const forks = Array.from({ length: 5 }, () => 0);
    let meals = 0;
    await Promise.all(
      clients.map(async (client, at) => {
        const own = [at, (at + 1) % 5];
        const both = multiLock(own.map((fork) => client.lock(`${bench.name}-fork-${fork}`)));
        for (let meal = 0; meal < 5; meal++) {
          await both.run(async () => {
            for (const fork of own) assert.equal(++forks[fork]!, 1);
            await bench.time.sleep(1);
            for (const fork of own) forks[fork]!--;
            meals++;
          });
        }
      }),
    );
    assert.equal(meals, 25);
  },

  'sides of read-write locks may be members': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const [here, there] = [client.readWriteLock(bench.name), other.readWriteLock(bench.name)];
    const reading = multiLock([here.read, client.lock(`${bench.name}-1`)]);
    const alsoReading = multiLock([there.read, other.lock(`${bench.name}-2`)]);
    await reading.run(async () => {
      await alsoReading.run(() => undefined, { timeoutMs: 0 });
      assert.equal(await multiLock([there.write]).tryAcquire(), null);
    });
  },

  'every member is re-entrant inside run': async (bench) => {
    const locks = await members(bench);
    await multiLock(locks).run(async () => {
      for (const lock of locks) {
        assert.equal(lock.holdCount(), 1);
        await lock.run(() => assert.equal(lock.holdCount(), 2));
      }
      await multiLock(locks).run(() => assert.equal(locks[0]!.holdCount(), 2), { timeoutMs: 0 });
    });
    await assertAllFree({ locks });
  },
};

const lossCases: Cases<ComposedKinds> = {
  'it is lost when any of its members is': async (bench) => {
    for (const at of [0, 1, 2]) {
      const [mine, theirs] = [await members(bench), await members(bench)];
      const hold = await multiLock(mine).acquire();
      const start = bench.time.now();
      assert.equal(await theirs[at]!.forceRelease(), true);
      await lossOf(hold);
      bench.assertWithin(start, bench.unit);
      assert.ok(hold.lost.reason instanceof LeaseLostError);
      assert.equal(hold.remainingMs, 0);
      assert.throws(() => hold.throwIfLost(), { code: 'LEASE_LOST' });
      await assertRejects(() => hold.release(), 'LEASE_LOST');
      await assertAllFree({ locks: theirs });
    }
  },

  'run rejects when a member was lost': async (bench) => {
    const [mine, theirs] = [await members(bench), await members(bench)];
    await assertRejects(
      () => multiLock(mine).run(() => theirs[1]!.forceRelease().then(() => undefined)),
      'LEASE_LOST',
    );
    await assertAllFree({ locks: theirs });
  },

  'a member that fails releases the others': async (bench) => {
    const mine = await members(bench);
    // Members are taken in the order of their labels: the broken one comes first, then last.
    for (const label of ['a broken one', 'your broken one']) {
      const broken = await bench.open({ label });
      const dead = broken.lock(`${bench.name}-broken`);
      await broken.close();
      await assertRejects(() => multiLock([...mine, dead]).acquire(), 'CLOSED', label);
      await assertRejects(() => multiLock([dead, ...mine]).tryAcquire(), 'CLOSED', label);
      await assertAllFree({ locks: mine });
    }
  },

  'leases count from the last member, not from the first': async (bench) => {
    const [mine, theirs] = [await members(bench), await members(bench)];
    const contended = await theirs[0]!.acquire();
    const leaseMs = 4 * bench.unit;
    const waiting = bench.begin(multiLock(mine).acquire({ leaseMs }));
    await bench.time.sleep(2 * bench.unit);
    await contended.release();
    const hold = await waiting;
    const start = bench.time.now();
    assert.ok(hold.remainingMs > 3 * bench.unit);
    const next = await multiLock(theirs).acquire();
    assert.ok(bench.time.now() - start >= leaseMs - bench.unit);
    assert.equal(hold.lost.aborted, true);
    await next.release();
  },

  'closing one of the clients loses the hold': async (bench) => {
    const clients = [await bench.open({ label: 'one' }), await bench.open({ label: 'two' })];
    const lock = multiLock(clients.map((client, at) => client.lock(`${bench.name}-${at}`)));
    const hold = await lock.acquire();
    await clients[1]!.close();
    assert.equal(hold.remainingMs, 0);
    assert.throws(() => hold.throwIfLost());
    await hold.release();
  },
};

/** All of several locks or none. */
export const multiLockSuite = suiteOf<ComposedKinds>(
  'multiLock',
  composedCases(compose),
  memberCases('multiLock', multiLock),
  allOrNothingCases,
  lossCases,
  outageCases(async (client, name) => {
    const both = multiLock([client.lock(`${name}-one`), client.lock(`${name}-two`)]);
    await both.run(() => undefined);
    return [(timeoutMs) => both.tryAcquire({ timeoutMs }), (timeoutMs) => both.acquire({ timeoutMs })];
  }),
);
