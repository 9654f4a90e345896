import assert from 'node:assert/strict';
import { type Factories, type Hold, type Lock, ReentryError } from '../../../index.ts';
import { assertRejects } from '../../harness/coded-error.ts';
import { Deferred } from '../../harness/deferred.ts';
import type { LockAdapter } from './reentrant-cases.ts';
import type { Cases } from '../../suites/suite.ts';

const WAYS = ['run', 'acquire', 'tryAcquire'] as const;
type ReentryWay = (typeof WAYS)[number];

const programs: readonly (readonly ReentryWay[])[] = WAYS.flatMap((first) =>
  WAYS.flatMap((second) => WAYS.map((third) => [first, second, third])),
);

/** Holds the lock once more in each of these ways, one inside the other, and calls `inside` at the end. */
async function nest(
  lock: Lock,
  timeoutMs: number,
  ways: readonly ReentryWay[],
  inside: () => Promise<void>,
): Promise<void> {
  const [way, ...rest] = ways;
  if (way === undefined) return inside();
  const go = () => nest(lock, timeoutMs, rest, inside);
  if (way === 'run') return lock.run(go, { timeoutMs });
  const hold = await (way === 'acquire' ? lock.acquire({ timeoutMs }) : lock.tryAcquire());
  assert.ok(hold, `${way} before ${rest.join(', ')} is re-entrant`);
  await go();
  await hold.release();
}

/**
 * `run` and `acquire` inside a `run`, in any mixture: code never waits for itself, and branches exclude each other by
 * `run`.
 */
export function mixedReentryCases<K extends keyof Factories>({ open, rival }: LockAdapter<K>): Cases<K> {
  return {
    'sequential code in a run holds it again by any mixture of run, acquire and tryAcquire': async (
      bench,
    ) => {
      const lock = open(await bench.open(), bench.name);
      await lock.run(async () => {
        for (const ways of programs) {
          await nest(lock, 5 * bench.unit, ways, async () => assert.equal(lock.holdCount(), 4));
          assert.equal(lock.holdCount(), 1);
        }
      });
      assert.equal(await lock.isLocked(), false);
    },

    'holds of one run may end in any order, also its own before the others': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const lock = open(client, bench.name);
      const waitLimit = { timeoutMs: 5 * bench.unit };
      await lock.run(async (own) => {
        const first = await lock.acquire(waitLimit);
        const second = await lock.acquire(waitLimit);
        await first.release();
        await own.release();
        const third = await lock.acquire(waitLimit);
        await lock.run(async () => assert.equal(lock.holdCount(), 3), waitLimit);
        await second.release();
        await lock.run(() => undefined, waitLimit);
        assert.equal(await rival(other, bench.name).tryAcquire(), null, 'the third is left');
        await third.release();
      });
      assert.equal(await lock.isLocked(), false);
    },

    'an inner run may give its hold back early and hold again what the outer one has': async (bench) => {
      const lock = open(await bench.open(), bench.name);
      const waitLimit = { timeoutMs: 5 * bench.unit };
      await lock.run(async (outer) => {
        await lock.run(async (inner) => {
          await inner.release();
          const hold = await lock.acquire(waitLimit);
          assert.equal(hold.fence, outer.fence);
          await hold.release();
          await lock.run(async () => assert.equal(lock.holdCount(), 2), waitLimit);
        }, waitLimit);
      });
      assert.equal(await lock.isLocked(), false);
    },

    'a hold that an inner run returns belongs to the run around it': async (bench) => {
      const lock = open(await bench.open(), bench.name);
      const waitLimit = { timeoutMs: 5 * bench.unit };
      await lock.run(async () => {
        const kept: Hold = await lock.run(() => lock.acquire(waitLimit), waitLimit);
        await lock.run(async () => assert.equal(lock.holdCount(), 3), waitLimit);
        const more = await lock.acquire(waitLimit);
        await kept.release();
        await more.release();
      });
      assert.equal(await lock.isLocked(), false);
    },

    'a run beside an acquire of the same scope is waited for': async (bench) => {
      const lock = open(await bench.open(), bench.name);
      const events: string[] = [];
      const branch = async () => {
        events.push('in');
        const inner = await lock.acquire();
        await bench.time.sleep(1);
        await inner.release();
        await lock.run(() => bench.time.sleep(1));
        events.push('out');
      };
      await lock.run(async () => {
        const acquiring = async () => {
          const hold = await lock.acquire();
          events.push('acquired');
          return hold;
        };
        const [, hold] = await Promise.all([lock.run(branch), acquiring()]);
        await hold.release();
      });
      assert.deepEqual(events, ['in', 'out', 'acquired']);
    },

    'a run whose own hold was given back keeps its branch closed while it has another': async (bench) => {
      const lock = open(await bench.open(), bench.name);
      const events: string[] = [];
      const branch = async (own: Hold) => {
        const inner = await lock.acquire();
        await own.release();
        await bench.time.sleep(1);
        events.push('a out');
        return inner;
      };
      await lock.run(async () => {
        const [inner] = await Promise.all([lock.run(branch), lock.run(() => events.push('b in'))]);
        await inner.release();
      });
      assert.deepEqual(events, ['a out', 'b in']);
    },

    'an acquire at the same time as another of its scope is refused, and the first one stands': async (
      bench,
    ) => {
      const client = await bench.open();
      const lock = open(client, bench.name);
      await lock.run(async () => {
        const first = bench.begin(lock.acquire());
        const tried = bench.begin(lock.tryAcquire());
        const [again, running] = bench.begin([lock.acquire(), lock.run(() => assert.fail('ran beside it'))]);
        const error = await assertRejects(() => again, 'REENTRY_REFUSED', client.label);
        assert.ok(error instanceof ReentryError);
        assert.match(error.message, /Use run\(\) in each branch/);
        await assertRejects(() => running, 'REENTRY_REFUSED', client.label);
        assert.equal(await tried, null);
        const hold = await first;
        hold.throwIfLost();
        await (await lock.acquire()).release();
        await hold.release();
      });
      assert.equal(await lock.isLocked(), false);
    },

    'of the acquires that wait behind a run, one is granted and the others are refused': async (bench) => {
      const client = await bench.open();
      const lock = open(client, bench.name);
      await lock.run(async () => {
        const over = new Deferred();
        const branch = bench.begin(lock.run(() => over.promise));
        const [first, second, third] = bench.begin([
          lock.acquire(),
          lock.acquire(),
          lock.run(() => undefined),
        ]);
        const refused = [second, third].map((one) =>
          assertRejects(() => one, 'REENTRY_REFUSED', client.label),
        );
        void bench.begin(refused);
        over.resolve();
        await branch;
        await (await first).release();
        await Promise.all(refused);
      });
      assert.equal(await lock.isLocked(), false);
    },

    'an explicit owner that would wait for the run around it is refused': async (bench) => {
      const client = await bench.open();
      const lock = open(client, bench.name);
      const [owner, other] = [client.owner('job'), client.owner('other')];
      const rivals = rival(client, bench.name);
      const refuse = async () => {
        const error = await assertRejects(
          () => rivals.acquire({ owner: other }),
          'REENTRY_REFUSED',
          client.label,
        );
        assert.match(error.message, /"other" inside a run/);
        await assertRejects(
          () => rivals.run(() => undefined, { owner: other, timeoutMs: bench.unit }),
          'REENTRY_REFUSED',
        );
        assert.equal(await rivals.tryAcquire({ owner: other }), null);
      };
      await lock.run(refuse);
      await lock.run(refuse, { owner });
      await lock.run(
        async () => {
          const hold = await lock.acquire({ owner });
          await lock.run(async () => assert.equal(lock.holdCount(owner), 3));
          await hold.release();
        },
        { owner },
      );
      await (await rivals.acquire({ owner: other })).release();
    },
  };
}
