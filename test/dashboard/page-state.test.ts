import { expect, test } from 'vitest';
import type { ChangeFrame, SentHolder, SentSighting } from '../../src/dashboard/frames.ts';
import { holdKey } from '../../src/dashboard/hold-key.ts';
import { keptOwner } from '../../src/spi/kept-owner.ts';
import { happened } from '../../page/live/history.ts';
import { allRows, changedRows, type HoldRows, waitingOf } from '../../page/live/hold-rows.ts';
import { prefixesOf, selected, type Selection } from '../../page/live/selection.ts';
import { duration, happeningText, plain, waitingText } from '../../page/texts.ts';

const holder = (fence: string, more: Partial<SentHolder> = {}): SentHolder => ({
  owner: `a:${fence}`,
  program: 'holdfast',
  fence,
  remainingMs: 30_000,
  heldForMs: 1_000,
  count: 1,
  ...more,
});

const sent = (id: number, name: string, holders: readonly SentHolder[], waiting = 0): SentSighting => ({
  id,
  kind: 'lock',
  name,
  holders,
  waiters: { count: waiting, counts: 'fleet' },
});

const NONE: HoldRows = new Map();
const empty: ChangeFrame = { rows: [], gone: [], leases: [], ended: [] };
const quietly = { isGap: false, taken: new Set<string>(), ended: [] };

test('a hold has ended as the server says, and of one of which it says nothing it is not known how', () => {
  const two = [holder('2', { side: 'read' }), holder('3', { side: 'read' })];
  const before = allRows(
    [sent(1, 'a', [holder('1')]), sent(2, 'b', two), sent(3, 'c', [holder('4')])],
    NONE,
    0,
  );
  const after = changedRows({ ...empty, gone: [1, 2, 3] }, before, 1_000);
  const ended = [
    [1, 0, 'released'],
    [2, 1, 'ran out'],
  ] as const;
  const all = happened(before, after, { now: 1_000, ...quietly, ended });
  expect(all).toMatchObject([
    { key: 'lock\na', what: 'released', heldMs: 2_000 },
    { key: 'lock\nb', what: 'ended', holder: { fence: '2' } },
    { key: 'lock\nb', what: 'ran out', holder: { fence: '3' } },
    { key: 'lock\nc', what: 'ended' },
  ]);
  expect(happeningText(all[3]!)).toBe('a:4 held it for about 2.0s: released, or its lease ran out');
});

test('what minHoldMs has left of a hold is no grant, and its end no loss', () => {
  const held = allRows([sent(1, 'a', [holder('1')])], NONE, 0);
  const kept = changedRows(
    { ...empty, rows: [sent(1, 'a', [holder('1', { owner: keptOwner('a:1'), remainingMs: 900 })])] },
    held,
    100,
  );
  const released = happened(held, kept, { now: 100, ...quietly, ended: [[1, 0, 'released']] });
  expect(released.map(({ what }) => what)).toEqual(['released']);
  const after = changedRows({ ...empty, gone: [1] }, kept, 1_000);
  const over = happened(kept, after, { now: 1_000, ...quietly });
  expect(over.map(({ what }) => what)).toEqual(['kept time over']);
  expect(happeningText(over[0]!)).toBe('time that a:1 kept is over');
});

test('a renewal is nothing that has happened', () => {
  const first = allRows([sent(1, 'a', [holder('1', { remainingMs: 1_000 })])], NONE, 0);
  const renewed = changedRows({ ...empty, leases: [[1, [30_000]]] }, first, 500);
  expect(happened(first, renewed, { now: 500, ...quietly })).toEqual([]);
});

test('what this page has ended was taken, and what ended while it was away is only gone', () => {
  const before = allRows([sent(1, 'a', [holder('1')])], NONE, 0);
  const taken = new Set([holdKey(holder('1'))]);
  expect(happened(before, NONE, { now: 1, ...quietly, taken })).toMatchObject([{ what: 'taken' }]);
  expect(happened(before, NONE, { now: 60_000, ...quietly, isGap: true })).toMatchObject([{ what: 'gone' }]);
});

test('a server that was started again counts its rows anew, and nothing has happened', () => {
  const before = allRows([sent(1, 'a', [holder('1')]), sent(2, 'b', [holder('2')])], NONE, 0);
  const after = allRows([sent(1, 'b', [holder('2')]), sent(2, 'a', [holder('1')])], before, 5);
  expect(happened(before, after, { now: 5, ...quietly, isGap: true })).toEqual([]);
});

test('a grant to the next owner, and the number of waiters, come in their order', () => {
  const before = allRows([sent(1, 'a', [holder('1')], 2)], NONE, 0);
  const after = changedRows({ ...empty, rows: [sent(1, 'a', [holder('2')], 1)] }, before, 10);
  const all = happened(before, after, { now: 10, ...quietly, ended: [[1, 0, 'released']] });
  expect(all.map(({ what }) => what)).toEqual(['released', 'held', 'waiting']);
});

test('the age of a hold that the store does not tell counts from the first look, and goes on', () => {
  const { heldForMs: _age, ...silent } = holder('1');
  const first = allRows([sent(1, 'a', [silent])], NONE, 100);
  const again = allRows([sent(7, 'a', [silent])], first, 5_000);
  expect(again.get(7)?.holders[0]).toMatchObject({ since: 100, isExactAge: false });
});

test('rows are found by what they mention, and sorted', () => {
  const client = { host: 'web-1', pid: 12, command: 'server.js', name: 'checkout' };
  const rows = allRows(
    [
      sent(1, 'orders:2', [holder('5', { client })], 3),
      sent(2, 'orders:1', [], 1),
      sent(3, 'stock', [holder('9', { remainingMs: null })]),
    ],
    NONE,
    0,
  );
  const usual: Selection = { search: '', kind: '', prefix: '', sort: 'name', isDescending: false };
  const names = (change: Partial<Selection>) =>
    selected(rows.values(), { ...usual, ...change }).map(({ name }) => name);
  expect(names({})).toEqual(['orders:1', 'orders:2', 'stock']);
  expect(names({ sort: 'waiting', isDescending: true })).toEqual(['orders:2', 'orders:1', 'stock']);
  expect(names({ sort: 'lease' })[0]).toBe('orders:2');
  expect(names({ search: 'WEB-1' })).toEqual(['orders:2']);
  expect(names({ search: '9' })).toEqual(['stock']);
  expect(names({ prefix: 'orders:', search: '1' })).toEqual(['orders:1', 'orders:2']);
  expect(names({ kind: 'election' })).toEqual([]);
  expect(prefixesOf(rows.values())).toEqual(['orders:']);
});

test('texts', () => {
  expect([0, 1_400, 43_000, 61_000, 3_600_000, 90_000_000].map(duration)).toEqual([
    '0.0s',
    '1.4s',
    '43s',
    '1m 1s',
    '1h 0m',
    '1d 1h',
  ]);
  expect(plain('a\u202eb\u0000')).toBe(String.raw`a\u202eb\u0000`);
  const listening = { waiters: { count: 0, counts: 'process', clients: 2 } } as const;
  expect([waitingText(listening), waitingOf(listening)]).toEqual(['2 clients', 2]);
  expect(waitingText({ waiters: { count: 0, counts: 'process' } })).toBe('?');
});
