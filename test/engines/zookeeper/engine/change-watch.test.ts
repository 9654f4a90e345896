import { expect, test } from 'vitest';
import type { WatchListener } from '../../../../src/engines/zookeeper/client/session/watch-table.ts';
import { ChangeWatch } from '../../../../src/engines/zookeeper/inspector/change-watch.ts';

/** A client whose requests are answered when the test says so. */
function stage() {
  const answers: (() => void)[] = [];
  const listeners = new Set<WatchListener>();
  const fake = {
    addWatch: (_path: string, _kind: string, listener: WatchListener) =>
      new Promise<void>((resolve) => {
        answers.push(() => {
          listeners.add(listener);
          resolve();
        });
      }),
    removeWatch: async (_path: string, _kind: string, listener: WatchListener) => {
      listeners.delete(listener);
    },
  };
  const background: Promise<unknown>[] = [];
  const watch = new ChangeWatch(
    {
      client: {
        closed: false,
        background: (work: Promise<unknown>) => background.push(work),
      } as never,
      session: { open: () => undefined },
      liveness: { client: () => fake, whenResumed: new Set() } as never,
      root: '',
      kinds: ['lock'],
      subject: { resource: 'inspector', engine: 'zookeeper' },
    },
    () => undefined,
  );
  const answer = async () => {
    await expect.poll(() => answers.length).toBe(1);
    answers.pop()!();
  };
  return { watch, answer, listeners, background };
}

test('a watch that is ended while it is being set again leaves none behind', async () => {
  const { watch, answer, listeners, background } = stage();
  const beginning = watch.begin();
  await answer();
  const stop = await beginning;
  const [listener] = listeners;
  // The session has ended, and every watch with it.
  listeners.clear();
  listener!({ type: 'lost', path: '/' });
  stop();
  await answer();
  await Promise.all(background);
  expect(listeners.size).toBe(0);
});
