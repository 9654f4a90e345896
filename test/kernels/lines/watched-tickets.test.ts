import { describe, expect, test } from 'vitest';
import { WatchedTickets } from '../../../src/kernels/lines/turns/watched-tickets.ts';
import type { TicketLine } from '../../../src/spi/engine/ticket-line.ts';

/** Watches that are answered when the test says so. */
function slowWatches() {
  const calls = new Map<string, { readonly gone: () => void; readonly answer: (isThere: boolean) => void }>();
  const ended: string[] = [];
  const tickets = {
    watch: (_line: unknown, id: string, gone: () => void) =>
      new Promise<(() => void) | undefined>((resolve) => {
        calls.set(id, {
          gone,
          answer: (isThere) => resolve(isThere ? () => void ended.push(id) : undefined),
        });
      }),
  } as unknown as TicketLine;
  const left: string[] = [];
  const line = { kind: 'semaphore', name: 's' };
  const watched = new WatchedTickets(tickets, line, 'own', (id) => void left.push(id));
  return { watched, call: (id: string) => calls.get(id)!, asked: () => calls.size, ended, left };
}

describe('the tickets ahead', () => {
  test('are watched when every watch is answered, and one that goes later is reported', async () => {
    const { watched, call, left } = slowWatches();
    const watching = watched.watch(['a', 'b']);
    call('a').answer(true);
    call('b').answer(true);
    expect(await watching).toBe(true);
    call('b').gone();
    expect(left).toEqual(['b']);
  });

  test('one that is gone before it is watched is answered', async () => {
    const { watched, call } = slowWatches();
    const watching = watched.watch(['a']);
    call('a').answer(false);
    expect(await watching).toBe(false);
  });

  test('one that goes while the watch on another one is on its way is answered, and not reported beside', async () => {
    const { watched, call, left } = slowWatches();
    const first = watched.watch(['a']);
    call('a').answer(true);
    await first;
    const second = watched.watch(['a', 'b']);
    call('a').gone();
    call('b').answer(true);
    expect([await second, left]).toEqual([false, []]);
  });

  test('one that goes after another one was gone is not reported: the caller lists the line', async () => {
    const { watched, call, left } = slowWatches();
    const watching = watched.watch(['a', 'b']);
    call('a').answer(false);
    call('b').answer(true);
    expect(await watching).toBe(false);
    call('b').gone();
    expect(left).toEqual([]);
    const again = watched.watch(['b']);
    call('b').answer(false);
    expect(await again).toBe(false);
  });

  test('a watch that is answered after it was given up is ended', async () => {
    const { watched, call, ended } = slowWatches();
    const watching = watched.watch(['a']);
    watched.clear();
    call('a').answer(true);
    await watching;
    expect(ended).toEqual(['a']);
  });
});

describe('the own ticket', () => {
  test('that goes before the watches are answered is not taken for one that is watched', async () => {
    const { watched, call } = slowWatches();
    const watching = watched.watch(['own', 'a']);
    call('own').answer(true);
    call('own').gone();
    call('a').answer(true);
    expect([await watching, watched.hasOwn]).toEqual([false, false]);
  });

  test('stays watched when the owner is in, and what was ahead does not', async () => {
    const { watched, call, ended, left } = slowWatches();
    const watching = watched.watch(['own', 'a']);
    call('own').answer(true);
    call('a').answer(true);
    await watching;
    watched.keepOwn();
    expect([watched.hasOwn, ended]).toEqual([true, ['a']]);
    call('own').gone();
    expect(left).toEqual(['own']);
  });

  test('is asked for once, however many calls come at the same time', async () => {
    const { watched, call, asked } = slowWatches();
    const calls = [watched.watchOwn(), watched.watchOwn()];
    call('own').answer(true);
    expect([await Promise.all(calls), asked()]).toEqual([[true, true], 1]);
    expect([await watched.watchOwn(), asked()]).toEqual([true, 1]);
  });

  test('that leaves takes its watch along: no request, and no report', async () => {
    const { watched, call, ended, left } = slowWatches();
    const watching = watched.watchOwn();
    call('own').answer(true);
    await watching;
    watched.clear();
    call('own').gone();
    expect([ended, left]).toEqual([[], []]);
  });
});
