import assert from 'node:assert/strict';
import type { Factories } from '../../../index.ts';
import { type BadArgument, assertRejectsArgument } from '../../harness/coded-error.ts';
import { isFree, untilFree } from '../../harness/exclusive.ts';
import type { Cases } from '../../suites/suite.ts';
import { needingMinHold, type TimedAdapter } from './min-hold-cases.ts';

/** What locks take as `minHoldMs`. One that takes none must say so, and not forget it. */
export function minHoldArgumentCases<K extends keyof Factories>({ open }: TimedAdapter<K>): Cases<K> {
  return {
    'a bad minHoldMs is refused': needingMinHold(async (bench) => {
      const lock = open(await bench.open(), bench.name);
      const bad: BadArgument[] = [
        { given: { minHoldMs: 0 }, error: RangeError, names: /minHoldMs must be from 50 to \d+, not 0/ },
        { given: { minHoldMs: '5m' }, error: TypeError, names: /minHoldMs must be a number, not "5m"/ },
        { given: { minHoldMs: Infinity }, error: RangeError, names: /minHoldMs must be from 50/ },
        {
          given: { minHoldMs: 2000, leaseMs: 1000 },
          error: RangeError,
          names: /minHoldMs must not be longer than leaseMs, and 2000 is longer than 1000/,
        },
      ];
      for (const one of bad) {
        const options = one.given as object;
        await assertRejectsArgument(one, () => lock.acquire(options));
        await assertRejectsArgument(one, () => lock.tryAcquire(options));
        await assertRejectsArgument(one, () => lock.run(() => assert.fail('ran'), options));
      }
      assert.ok(await isFree(lock));
    }),

    'a lock takes minHoldMs, or refuses it by name': async (bench) => {
      const lock = open(await bench.open(), bench.name);
      const options = { minHoldMs: bench.unit };
      if (bench.harness.withoutMinHold === undefined) {
        await (await lock.acquire(options)).release();
        assert.equal(await lock.tryAcquire(), null);
      } else {
        const bad = { given: options, error: TypeError, names: /no option "minHoldMs"; known are timeoutMs/ };
        await assertRejectsArgument(bad, () => lock.acquire(options));
      }
      await untilFree(bench, lock);
    },
  };
}
