import assert from 'node:assert/strict';
import { ignoreOutcome } from '../../harness/ignore-outcome.ts';
import { type Factories, ForeignStateError, type Semaphore, type Synchronizers } from '../../../index.ts';
import { badCounts } from '../arguments/bad-arguments.ts';
import { countsFleet } from '../../harness/bench.ts';
import { type BadArgument, assertRejects, assertRejectsArgument } from '../../harness/coded-error.ts';
import { type Cases, needing } from '../../suites/suite.ts';

/** Bad second arguments of the factories. */
export const BAD_PERMITS: readonly BadArgument[] = [
  { given: undefined, error: TypeError, names: /permits must be a number, not undefined/ },
  { given: {}, error: TypeError, names: /permits must be a number, not undefined/ },
  { given: 3, error: TypeError, names: /options must be an object, not 3/ },
  { given: { permits: 3, fair: true }, error: TypeError, names: /no option "fair"; known are permits/ },
  { given: { permits: 0 }, error: RangeError, names: /permits must be from 1/ },
  ...badCounts('permits').map((bad) => ({ ...bad, given: { permits: bad.given } })),
];

type Make<K extends keyof Factories> = (
  client: Synchronizers<K>,
  name: string,
  permits: number,
) => Pick<Semaphore, 'name' | 'permits' | 'acquire' | 'tryAcquire' | 'run' | 'available' | 'waiters'>;

/** What both semaphores do. */
export function permitCases<K extends keyof Factories>(make: Make<K>): Cases<K> {
  return {
    // RedissonSemaphoreTest.testConcurrency_MultiInstance_1_permits, testConcurrencyLoop_MultiInstance
    'no more are in than there are permits, over three clients': async (bench) => {
      const clients = [await bench.open(), await bench.open(), await bench.open()];
      let [taken, most] = [0, 0];
      await Promise.all(
        Array.from({ length: 60 }, async (_, at) => {
          const permits = 1 + (at % 3);
          const hold = await make(clients[at % 3]!, bench.name, 5).acquire({ permits });
          assert.equal(hold.permits, permits);
          taken += permits;
          most = Math.max(most, taken);
          assert.ok(taken <= 5, `${taken} of 5`);
          // Stays until several were in together, the larger requests for longer: a store that needs a dozen milliseconds for each
          // permit admits the next waiter only after a holder beside it has left.
          for (let naps = 0; naps === 0 || (most <= 3 && naps < 4 * permits); naps += 1)
            await bench.time.sleep(bench.unit / 20);
          taken -= permits;
          await hold.release();
        }),
      );
      assert.ok(most > 3, 'several were in together');
      assert.equal(await make(clients[0]!, bench.name, 5).available(), 5);
    },

    // RedissonSemaphoreTest.testTryNAcquire, testReleaseAcquire
    'it tells how many permits are left': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const semaphore = make(client, bench.name, 4);
      assert.deepEqual([semaphore.name, semaphore.permits, await semaphore.available()], [bench.name, 4, 4]);
      const one = await semaphore.acquire();
      const two = await make(other, bench.name, 4).acquire({ permits: 2 });
      assert.deepEqual([one.permits, two.permits, await semaphore.available()], [1, 2, 1]);
      assert.equal(await semaphore.tryAcquire({ permits: 2 }), null);
      const three = await semaphore.tryAcquire();
      assert.ok(three);
      assert.equal(await semaphore.available(), 0);
      for (const hold of [one, two, three]) await hold.release();
      assert.equal(await semaphore.available(), 4);
    },

    // RedissonSemaphoreTest.testAcquireAfterAddPermits
    'a request for two permits is granted when there are two': async (bench) => {
      const semaphore = make(await bench.open(), bench.name, 2);
      const [one, two] = [await semaphore.acquire(), await semaphore.acquire()];
      let inside = false;
      const waiting = semaphore.acquire({ permits: 2 }).then((hold) => {
        inside = true;
        return hold.release();
      });
      void bench.begin(waiting);
      await bench.untilWaiting(1, semaphore);
      await one.release();
      await bench.time.sleep(bench.unit);
      assert.equal(inside, false);
      const start = bench.time.now();
      await two.release();
      await waiting;
      bench.assertWithin(start, 0);
    },

    'permits are given out in the order of asking, so that a large request is not starved': async (bench) => {
      const one = await bench.open();
      // Where each client keeps its own order, there is none between two clients.
      const clients = [one, one.traits.permitOrder === 'fleet' ? await bench.open() : one];
      const semaphores = clients.map((client) => make(client, bench.name, 3));
      const small = await semaphores[0]!.acquire();
      const order: string[] = [];
      const large = semaphores[0]!.acquire({ permits: 3 }).then((hold) => {
        order.push('large');
        return hold.release();
      });
      void bench.begin(large);
      const lines = new Set(clients).size === 1 ? semaphores.slice(0, 1) : semaphores;
      await bench.untilWaiting(1, ...lines);
      const others = Array.from({ length: 6 }, async (_, at) => {
        const hold = await semaphores[at % 2]!.acquire();
        order.push('small');
        await hold.release();
      });
      void bench.begin(others);
      await bench.untilWaiting(7, ...lines);
      assert.equal(await semaphores[1]!.tryAcquire(), null, 'there are two, but not for who comes later');
      await small.release();
      await Promise.all([large, ...others]);
      assert.deepEqual(order, ['large', ...Array.from({ length: 6 }, () => 'small')]);
    },

    'when a large request gives up, the small ones behind it are granted at once': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const [semaphore, elsewhere] = [make(client, bench.name, 3), make(other, bench.name, 3)];
      const hold = await semaphore.acquire();
      const controller = bench.controller();
      const large = bench.begin(assert.rejects(semaphore.acquire({ permits: 3, signal: controller.signal })));
      await bench.untilWaiting(1, semaphore, elsewhere);
      const small = bench.begin([elsewhere.acquire(), semaphore.acquire()]);
      await bench.untilWaiting(3, semaphore, elsewhere);
      const start = bench.time.now();
      controller.abort();
      await large;
      for (const one of small) await (await one).release();
      bench.assertWithin(start, 0);
      await hold.release();
    },

    'when a dead request is at the head, those behind it are granted': needing('crash', async (bench) => {
      const renewalLeaseMs = 4 * bench.unit;
      const [dying, client] = [await bench.open({ renewalLeaseMs }), await bench.open()];
      const semaphore = make(client, bench.name, 3);
      const hold = await semaphore.acquire();
      ignoreOutcome(make(dying, bench.name, 3).acquire({ permits: 3 }));
      await bench.untilWaiting(1, make(dying, bench.name, 3));
      const waiting = bench.begin(semaphore.acquire({ permits: 2 }));
      if (client.traits.permitOrder === 'client') {
        await (await waiting).release();
        await bench.crash(dying);
        return hold.release();
      }
      await bench.untilWaiting(countsFleet(client.traits, semaphore) ? 2 : 1, semaphore);
      const start = bench.time.now();
      await bench.crash(dying);
      const next = await waiting;
      bench.assertWithin(start, client.traits.crash === 'session' ? 0 : renewalLeaseMs);
      await next.release();
      await hold.release();
    }),

    'the permits of a client that crashed come back, and the others stay taken': needing(
      'crash',
      async (bench) => {
        const renewalLeaseMs = 4 * bench.unit;
        const [dying, client] = [await bench.open({ renewalLeaseMs }), await bench.open()];
        const semaphore = make(client, bench.name, 5);
        const stays = await semaphore.acquire();
        await make(dying, bench.name, 5).acquire({ permits: 3 });
        const waiting = bench.begin(semaphore.acquire({ permits: 4 }));
        await bench.untilWaiting(1, semaphore);
        await bench.crash(dying);
        const start = bench.time.now();
        const four = await waiting;
        // A permit outlives its session, so this is the bound for both semaphores on every engine.
        bench.assertWithin(start, renewalLeaseMs);
        assert.equal(await semaphore.available(), 0);
        stays.throwIfLost();
        await stays.release();
        await four.release();
        assert.equal(await semaphore.available(), 5);
      },
    ),

    'leases that end give their permits back': async (bench) => {
      const semaphore = make(await bench.open(), bench.name, 3);
      const start = bench.time.now();
      await semaphore.acquire({ permits: 2, leaseMs: 3 * bench.unit });
      await semaphore.acquire({ permits: 1, leaseMs: bench.unit });
      const two = await semaphore.acquire({ permits: 2 });
      bench.assertElapsed(start, 3 * bench.unit);
      await two.release();
      assert.equal(await semaphore.available(), 3);
    },

    'more permits than there are is refused at once': async (bench) => {
      const semaphore = make(await bench.open(), bench.name, 2);
      const bad: BadArgument[] = [
        { given: 3, error: RangeError, names: /3 permits were asked for and there are only 2/ },
        { given: 0, error: RangeError, names: /permits must be from 1/ },
        ...badCounts('permits'),
      ];
      for (const one of bad) {
        const permits = one.given as number;
        await assertRejectsArgument(one, () => semaphore.acquire({ permits }));
        await assertRejectsArgument(one, () => semaphore.tryAcquire({ permits }));
        await assertRejectsArgument(one, () => semaphore.run(() => undefined, { permits }));
      }
      assert.deepEqual([await semaphore.available(), await semaphore.waiters()], [2, 0]);
    },

    'another number of permits than the others use is refused': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const hold = await make(client, bench.name, 3).acquire();
      for (const permits of [2, 4]) {
        const odd = make(other, bench.name, permits);
        const error = await assertRejects(() => odd.acquire(), 'FOREIGN_STATE', other.label);
        assert.ok(error instanceof ForeignStateError);
        assert.match(error.message, new RegExp(`3 permits.*${permits}`));
        await assertRejects(() => odd.tryAcquire(), 'FOREIGN_STATE', other.label);
        // A wrong total minus the taken permits is a number that no client can act on; with totals of 3 and 2 it was
        // negative.
        await assertRejects(() => odd.available(), 'FOREIGN_STATE', other.label);
      }
      assert.equal(await make(client, bench.name, 3).available(), 2);
      await hold.release();
    },

    'queries on a closed client reject': async (bench) => {
      const client = await bench.open();
      const semaphore = make(client, bench.name, 2);
      await client.close();
      await assertRejects(() => semaphore.available(), 'CLOSED', client.label);
      await assertRejects(() => semaphore.waiters(), 'CLOSED', client.label);
    },
  };
}
