import { dashboard } from 'holdfast/dashboard';
import { memory } from 'holdfast/memory';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Inspector, Sighting } from '../../src/spi/engine/inspector.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { FrameStream } from './frame-stream.ts';

vi.setConfig({ testTimeout: 60_000 });

const sighting = (name: string): Sighting => ({
  kind: 'lock',
  name,
  holders: [],
  waiters: { count: 0, counts: 'fleet' },
});

/** A dashboard of a store that lists what the test says. */
function boardOf(list: () => readonly Sighting[], everyMs = 100) {
  const locks = memory();
  const inspector: Inspector = {
    ...locks.inspector,
    changes: async () => () => undefined,
    // eslint-disable-next-line @typescript-eslint/require-await -- As the interface has it.
    async *list() {
      yield* list();
    },
  };
  const board = dashboard({ label: 'stage', inspector }, { everyMs });
  onTestFinished(async () => {
    board.close();
    await locks.close();
  });
  return { board, view: () => board(new Request('http://localhost/events')) };
}

test('a page that comes later learns that the store does not answer, however many rows there are', async () => {
  // More than a viewer may have waiting for it.
  const many = Array.from({ length: 3_000 }, (_, at) => sighting(`${'x'.repeat(500)}:${at}`));
  let isAway = false;
  const { view } = boardOf(() => {
    if (isAway) throw new Error('the store is away');
    return many;
  });
  const first = new FrameStream(await view());
  await waitFor('the rows', () => first.rows.size === many.length);
  isAway = true;
  await waitFor('trouble', () => first.trouble === 'UNKNOWN');
  const second = new FrameStream(await view());
  await waitFor('the rows of the second', () => second.rows.size === many.length);
  await waitFor('trouble of the second', () => second.trouble === 'UNKNOWN');
  isAway = false;
  await waitFor('no trouble', () => first.trouble === undefined && second.trouble === undefined);
  expect(second.rows.size).toBe(many.length);
});

test('a page hears from the server however seldom the store is looked at', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  let looks = 0;
  const { view } = boardOf(() => {
    looks += 1;
    return [];
  }, 3_600_000);
  const reader = ((await view()).body as ReadableStream<Uint8Array>).getReader();
  let heard = '';
  void (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard += new TextDecoder().decode(value);
    }
  })();
  await vi.advanceTimersByTimeAsync(61_000);
  // The first is there at once.
  expect([heard.split(': still here').length - 1, looks]).toEqual([5, 1]);
  await reader.cancel();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(vi.getTimerCount()).toBe(0);
});

test('a release that is refused does not make the store be looked at', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  let looks = 0;
  const { board, view } = boardOf(() => {
    looks += 1;
    return [];
  }, 3_600_000);
  await view();
  await vi.advanceTimersByTimeAsync(1_000);
  const refused = await board(new Request('http://localhost/release?kind=lock&name=a', { method: 'POST' }));
  await vi.advanceTimersByTimeAsync(1_000);
  expect([refused.status, looks]).toEqual([403, 1]);
});

test('a page hears how a hold has ended only as far as the looks at the store tell', async () => {
  const held = (name: string, remainingMs: number): Sighting => ({
    ...sighting(name),
    holders: [{ owner: 'a:1', program: 'holdfast', fence: 1n, remainingMs, count: 1 }],
  });
  // The second lease is over before the next look, and may have been released before that.
  let rows: readonly Sighting[] = [held('long', 30_000), held('short', 50)];
  const { view } = boardOf(() => rows);
  const stream = new FrameStream(await view());
  const { id } = await stream.shows('long');
  rows = [];
  await waitFor('both are gone', () => stream.rows.size === 0);
  const ended = stream.frames.flatMap(({ event, data }) => (event === 'some' ? data.ended : []));
  expect(ended).toEqual([[id, 0, 'released']]);
});
