import assert from 'node:assert/strict';
import { type Factories, type Hold, LeaseLostError } from '../../../index.ts';
import { assertRejectsArgument, assertRejects, rejectionOf } from '../../harness/coded-error.ts';
import { BAD_FUNCTIONS } from '../arguments/bad-arguments.ts';
import { type ExclusiveAdapter, hasRun, isFree, type Running, untilFree } from '../../harness/exclusive.ts';
import { lossOf } from '../losses/lease-cases.ts';
import type { Cases } from '../../suites/suite.ts';

/** `run`, for the synchronizers that have it. */
export function runCases<K extends keyof Factories>(adapter: ExclusiveAdapter<K>): Cases<K> {
  if (adapter.withoutRun === true) return {};
  const open = (...given: Parameters<typeof adapter.open>): Running => {
    const thing = adapter.open(...given);
    assert.ok(hasRun(thing), 'has run');
    return thing;
  };
  return {
    'run holds it for as long as the function runs, and answers what it returns': async (bench) => {
      const client = await bench.open();
      const thing = open(client, bench.name);
      let seen: Hold | undefined;
      const answer = await thing.run(async (hold) => {
        seen = hold;
        hold.throwIfLost();
        assert.equal(await isFree(adapter.open(await bench.open(), bench.name)), false);
        return 42;
      });
      assert.equal(answer, 42);
      assert.equal(seen?.remainingMs, 0);
      assert.equal(await thing.run(() => 'at once'), 'at once');
      assert.ok(await isFree(thing));
    },

    // Reliability H11
    'run releases when the function throws, and rethrows what it threw': async (bench) => {
      const thing = open(await bench.open(), bench.name);
      const error = { thrown: true };
      const rejected = await rejectionOf(() => thing.run(() => Promise.reject(error as unknown as Error)));
      assert.equal(rejected, error);
      const synchronous = await rejectionOf(() =>
        thing.run(() => {
          throw error as unknown as Error;
        }),
      );
      assert.equal(synchronous, error);
      assert.ok(await isFree(thing));
    },

    'run rejects when it was lost, although the function succeeded': async (bench) => {
      const client = await bench.open();
      const thing = open(client, bench.name);
      let finished = false;
      await assertRejects(
        () =>
          thing.run(
            async (hold) => {
              await lossOf(hold);
              finished = true;
            },
            { leaseMs: bench.unit },
          ),
        'LEASE_LOST',
        client.label,
      );
      assert.ok(finished);
      await untilFree(bench, thing);
    },

    "the function's own error wins over the loss": async (bench) => {
      const thing = open(await bench.open(), bench.name);
      const error = new Error('mine');
      const failing = thing.run(
        async (hold) => {
          await lossOf(hold);
          throw error;
        },
        { leaseMs: bench.unit },
      );
      assert.equal(await rejectionOf(() => failing), error);
      const stopping = thing.run(
        async (hold) => {
          await lossOf(hold);
          hold.throwIfLost();
        },
        { leaseMs: bench.unit },
      );
      void bench.begin(stopping);
      assert.ok((await rejectionOf(() => stopping)) instanceof LeaseLostError);
      await untilFree(bench, thing);
    },

    'a function may give its hold back early': async (bench) => {
      const thing = open(await bench.open(), bench.name);
      const outer = await thing.run(async (hold) => {
        await hold.release();
        const next = await adapter.open(await bench.open(), bench.name).acquire();
        return next;
      });
      outer.throwIfLost();
      assert.equal(await thing.tryAcquire(), null, 'the end of run released no hold of another owner');
      await outer.release();
    },

    'run waits like acquire': async (bench) => {
      const thing = open(await bench.open(), bench.name);
      const hold = await thing.acquire();
      const never = () => assert.fail('ran without holding');
      const start = bench.time.now();
      await assertRejects(() => thing.run(never, { timeoutMs: bench.unit }), 'ACQUIRE_TIMEOUT');
      bench.assertElapsed(start, bench.unit);
      const reason = new Error('stop');
      assert.equal(await rejectionOf(() => thing.run(never, { signal: AbortSignal.abort(reason) })), reason);
      await hold.release();
    },

    'run refuses what is no function': async (bench) => {
      const thing = open(await bench.open(), bench.name);
      for (const bad of BAD_FUNCTIONS) {
        await assertRejectsArgument(bad, () => thing.run(bad.given as () => void));
      }
      assert.ok(await isFree(thing));
    },
  };
}
