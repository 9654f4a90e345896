import { expect, test } from 'vitest';
import { CrowdedNames } from '../../../src/kernels/lines/crowded-names.ts';

test('the latest thousand names are remembered, whichever came first', () => {
  const crowded = new CrowdedNames();
  for (let at = 0; at < 1000; at++) crowded.add(`name ${at}`);
  crowded.add('name 0');
  crowded.add('one more');
  expect(['name 0', 'name 1', 'name 2', 'one more'].map((name) => crowded.has(name))).toEqual([
    true,
    false,
    true,
    true,
  ]);
  crowded.delete('one more');
  expect(crowded.has('one more')).toBe(false);
});
