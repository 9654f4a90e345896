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

test('an owner is not taken for the earlier one that had its place', () => {
  const sights = new LineSights();
  sights.begin('line/', 'client:7');
  const place = sights.placeOf('line/', 'client:7')!;
  expect(sights.ownerAt('line/', place, 3n)).toBe('client:7');
  sights.record('line/', 3n, new Map());
  sights.note(5n);
  sights.end('line/', 'client:7');

  sights.begin('line/', 'client:8');
  sights.begin('line/', 'client:9');
  expect(sights.placeOf('line/', 'client:8')).toBe(place);
  expect(sights.placeOf('line/', 'client:9')).not.toBe(place);
  // As an older list shows it, whose answer comes only now.
  expect(sights.ownerAt('line/', place, 3n)).toBeUndefined();
  expect(sights.ownerAt('line/', place, 6n)).toBe('client:8');
});

test('a session in a store that was restored to an earlier revision knows its own tickets', () => {
  const sights = new LineSights();
  sights.note(900n);
  sights.clear();
  sights.begin('line/', 'next:1');
  expect(sights.ownerAt('line/', sights.placeOf('line/', 'next:1')!, 7n)).toBe('next:1');
});
