import { describe, expect, test } from 'vitest';
import { WatchedTickets } from '../../../src/kernels/lines/watched-tickets.ts';
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
  let left = 0;
  const watched = new WatchedTickets(tickets, { kind: 'semaphore', name: 's' }, () => void left++);
  return { watched, call: (id: string) => calls.get(id)!, ended, left: () => left };
}

describe('the tickets ahead', () => {
  test('are watched when every watch is answered, and one that goes later is reported', async () => {
    const { watched, call, left } = slowWatches();
    const watching = watched.watch(['a', 'b']);
    call('a').answer(true);
    call('b').answer(true);
    expect(await watching).toBe(true);
    call('b').gone();
    expect(left()).toBe(1);
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
    expect([await second, left()]).toEqual([false, 0]);
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
