import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { ending, play } from './stage.ts';

// Every watch takes longer to begin than its answer is waited for, so the acquisition gives up. The watches begin after
// that, with no client there to end them.
test('watches that begin after they were given up are ended', async () => {
  await play(async (stage) => {
    const held = await stage.far('b').lock('x').acquire();
    const late = stage.far('a', { watch: () => 2500 });
    expect(await ending(late.lock('x').acquire({ timeoutMs: 60_000 }))).toBe('ENGINE');
    await held.release();
    await stage.clock.sleep(10_000);
    expect(stage.store.takeCensus().watchers).toBe(0);
  });
});

// A client observes an election with a signal of its own, and the store cannot be reached.
test('an observation that cannot begin leaves no listener on its signal', async () => {
  await play(async (stage) => {
    const client = stage.far('a', { watch: () => 'broken' });
    const { signal } = new AbortController();
    const leaders = client.election('e').observe({ signal })[Symbol.asyncIterator]();
    expect(await ending(leaders.next())).toBe('ENGINE');
    expect(getEventListeners(signal, 'abort').length).toBe(0);
  });
});
