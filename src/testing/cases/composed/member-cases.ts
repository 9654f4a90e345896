import assert from 'node:assert/strict';
import type { Lock } from '../../../index.ts';
import type { ComposedKinds } from './composed-cases.ts';
import { type BadArgument, assertThrowsArgument } from '../../harness/coded-error.ts';
import type { Cases } from '../../suites/suite.ts';

/**
 * Which locks can be composed: not those that would wait for themselves, or that another program could take in another
 * order.
 */
export function memberCases(
  kind: string,
  compose: (locks: readonly Lock[]) => unknown,
): Cases<ComposedKinds> {
  return {
    'members that cannot be composed are refused by throwing': async (bench) => {
      const [client, twin] = [await bench.open({ label: 'one' }), await bench.open({ label: 'one' })];
      const other = await bench.open({ label: 'two' });
      const lock = client.lock(bench.name);
      const sides = client.readWriteLock(bench.name);
      const unusable = {
        'no array': { given: undefined, names: /needs an array of at least one lock/ },
        'an empty array': { given: [], names: /needs an array of at least one lock/ },
        'no lock at all': {
          given: [lock, {}],
          names: /every member must be a lock made by a Holdfast engine/,
        },
        null: { given: [null], names: /every member must be a lock/ },
        'the same lock twice': { given: [lock, lock], names: /is named twice/ },
        'the same name twice': { given: [lock, client.lock(bench.name)], names: /is named twice/ },
        'both sides of one lock': { given: [sides.read, sides.write], names: /is named twice/ },
        'two engine objects of one label': {
          given: [lock, twin.lock('else')],
          names: /two engine objects have the label "one"/,
        },
      };
      for (const { given, names } of Object.values(unusable)) {
        const bad: BadArgument = { given, error: TypeError, names };
        assertThrowsArgument(bad, () => compose(given as unknown as Lock[]));
      }
      assert.doesNotThrow(() => compose([lock, other.lock(bench.name), sides.read]), kind);
    },
  };
}
