import assert from 'node:assert/strict';
import type { Factories, HoldOptions } from '../../../index.ts';
import { BAD_EXTENSIONS, BAD_HOLD_OPTIONS } from './bad-arguments.ts';
import { assertRejectsArgument } from '../../harness/coded-error.ts';
import { type ExclusiveAdapter, hasRun, isFree } from '../../harness/exclusive.ts';
import type { Cases } from '../../suites/suite.ts';

/** Arguments that are refused, without any effect. */
export function holdArgumentCases<K extends keyof Factories>({ open }: ExclusiveAdapter<K>): Cases<K> {
  return {
    'bad options are refused by rejecting, and nothing is held or waited for': async (bench) => {
      const thing = open(await bench.open(), bench.name);
      for (const bad of BAD_HOLD_OPTIONS) {
        const options = bad.given as HoldOptions;
        await assertRejectsArgument(bad, () => thing.acquire(options));
        await assertRejectsArgument(bad, () => thing.tryAcquire(options));
        if (hasRun(thing)) {
          const never = () => assert.fail('ran with bad options');
          await assertRejectsArgument(bad, () => thing.run(never, options));
        }
      }
      assert.equal(await thing.waiters(), 0);
      assert.ok(await isFree(thing));
    },

    'a bad extension is refused, and changes nothing': async (bench) => {
      const thing = open(await bench.open(), bench.name);
      const hold = await thing.acquire({ leaseMs: 5 * bench.unit });
      const { remainingMs } = hold;
      for (const bad of BAD_EXTENSIONS)
        await assertRejectsArgument(bad, () => hold.extend(bad.given as number));
      assert.ok(hold.remainingMs <= remainingMs);
      hold.throwIfLost();
      await hold.release();
    },

    'options that are left undefined count as not given': async (bench) => {
      const thing = open(await bench.open(), bench.name);
      const nothing = {
        timeoutMs: undefined,
        leaseMs: undefined,
        signal: undefined,
      } as unknown as HoldOptions;
      const hold = await thing.acquire(nothing);
      assert.equal(await thing.tryAcquire(nothing), null);
      await hold.release();
    },
  };
}
