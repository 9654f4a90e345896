import { expect, test } from 'vitest';
import type { Look } from '../../src/dashboard/hold-ends.ts';
import { RowChanges } from '../../src/dashboard/row-changes.ts';
import type { Sighting } from '../../src/spi/engine/inspector.ts';

const lock = (name: string, remainingMs = 30_000, fence = 1n): Sighting => ({
  kind: 'lock',
  name,
  holders: [
    { owner: 'a:1', program: 'holdfast', fence, remainingMs, heldForMs: 30_000 - remainingMs, count: 1 },
  ],
  waiters: { count: 0, counts: 'fleet' },
});

/** A look that took no time. */
const at = (time: number): Look => ({ begin: time, end: time });

test('a look that shows what was expected is no change', () => {
  const changes = new RowChanges();
  expect(changes.see([lock('a')], at(0))).toMatchObject({
    rows: [{ id: 1, name: 'a' }],
    gone: [],
    leases: [],
    ended: [],
  });
  expect(changes.see([lock('a', 29_000)], at(1_000))).toBeUndefined();
  expect(changes.see([lock('a', 27_900)], at(2_000))).toBeUndefined();
  expect(changes.all(4_000)).toMatchObject([{ id: 1, holders: [{ remainingMs: 26_000, heldForMs: 4_000 }] }]);
});

test('a renewal is what is left of the lease, and no more', () => {
  const changes = new RowChanges();
  changes.see([lock('a'), lock('b')], at(0));
  const renewed = changes.see([lock('a', 20_000), lock('b')], at(10_000));
  expect(renewed).toEqual({ rows: [], gone: [], leases: [[2, [30_000]]], ended: [] });
  expect(changes.see([lock('a', 19_000), lock('b', Infinity)], at(11_000))).toEqual({
    rows: [],
    gone: [],
    leases: [[2, [null]]],
    ended: [],
  });
});

test('a small drift is not lost: what the viewers know counts, and not the last look', () => {
  const changes = new RowChanges();
  changes.see([lock('a', 30_000)], at(0));
  expect(changes.see([lock('a', 29_200)], at(1_000))).toBeUndefined();
  expect(changes.see([lock('a', 28_400)], at(2_000))).toBeUndefined();
  // Each look 200 ms later than the one before would never be a change, if it were compared with that.
  expect(changes.see([lock('a', 28_100)], at(2_500))?.leases).toEqual([[1, [28_100]]]);
});

test('another fence is another row, and a name that is gone is gone', () => {
  const changes = new RowChanges();
  changes.see([lock('a'), lock('b')], at(0));
  expect(changes.see([lock('a', 30_000, 2n)], at(0))).toMatchObject({
    rows: [{ id: 1, holders: [{ fence: '2' }] }],
    gone: [2],
  });
  expect(changes.see([lock('b')], at(0))).toMatchObject({ rows: [{ id: 3 }], gone: [1] });
});

test('a name that a listing shows twice is one row', () => {
  const changes = new RowChanges();
  expect(changes.see([lock('a'), lock('a')], at(0))?.rows).toHaveLength(1);
  expect(changes.see([], at(0))?.gone).toEqual([1]);
  expect(changes.all(0)).toEqual([]);
});

test('the age goes on from the look that was sent last, and is not made up where the store does not say', () => {
  const changes = new RowChanges();
  const { holders, ...rest } = lock('b');
  const silent = { ...rest, holders: holders.map(({ heldForMs: _age, ...holder }) => holder) };
  changes.see([lock('a', 20_000), silent], at(1_000));
  // Renewed: its age is read anew.
  changes.see(
    [{ ...lock('a'), holders: [{ ...lock('a').holders[0]!, heldForMs: 15_000 }] }, silent],
    at(6_000),
  );
  const [known, unknown] = changes.all(7_000.4).map((row) => row.holders[0]);
  expect(known).toMatchObject({ heldForMs: 16_000, remainingMs: 29_000 });
  expect(unknown).not.toHaveProperty('heldForMs');
});

test('a frame says how a hold has ended, as far as the looks know it', () => {
  const changes = new RowChanges();
  changes.see([lock('released'), lock('ran out', 1_000), lock('either', 2_000)], at(0));
  changes.see([lock('released', 29_100), lock('ran out', 100), lock('either', 1_100)], at(900));
  const ended = changes.see([lock('released', 30_000, 2n)], at(2_100));
  expect(ended).toMatchObject({ rows: [{ id: 1 }], gone: [2, 3] });
  expect(ended?.ended).toEqual([
    [1, 0, 'released'],
    [2, 0, 'ran out'],
  ]);
});

test('the end of a lease is that of the last look, also where it has moved too little to be sent', () => {
  const changes = new RowChanges();
  changes.see([lock('a', 5_000)], at(0));
  expect(changes.see([lock('a', 1_300)], at(4_000))).toBeUndefined();
  // It ends at 5.3 s, and not at 5 s.
  expect(changes.see([], at(5_100))?.ended).toEqual([[1, 0, 'released']]);
});

test('of several holders of one name, it says how each has ended', () => {
  const changes = new RowChanges();
  const [first, second] = [lock('a'), lock('a', 30_000, 2n)].map(({ holders }) => holders[0]!);
  const both = { ...lock('a'), holders: [first!, second!] };
  changes.see([both], at(0));
  expect(changes.see([{ ...both, holders: [first!] }], at(1_000))?.ended).toEqual([[1, 1, 'released']]);
});
