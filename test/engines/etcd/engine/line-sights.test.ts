import { expect, test } from 'vitest';
import { LineSights } from '../../../../src/engines/etcd/lines/line-sights.ts';

test('a list that comes behind a younger one brings back no ticket that is gone', () => {
  const sights = new LineSights();
  sights.begin('line/', 'own');
  const own = { key: 'line/own', createRevision: 3n, seenAt: 5n };
  const gone = { key: 'line/gone', createRevision: 2n, seenAt: 4n };
  sights.record('line/', 5n, new Map([['own', own]]));
  sights.record(
    'line/',
    4n,
    new Map([
      ['gone', gone],
      ['own', { ...own, seenAt: 4n }],
    ]),
  );
  expect(sights.get('line/', 'gone')).toBeUndefined();
  expect(sights.get('line/', 'own')).toEqual(own);
});
