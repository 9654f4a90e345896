import { once } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { shareConnections } from '../../../page/live/shown-pages.ts';
import { waitFor } from '../../fixtures/wait-for.ts';

const channels: BroadcastChannel[] = [];

beforeEach(() => {
  const Real = BroadcastChannel;
  vi.stubGlobal(
    'BroadcastChannel',
    class extends Real {
      constructor(name: string) {
        super(name);
        channels.push(this);
      }
    },
  );
});

afterEach(() => {
  for (const channel of channels.splice(0)) channel.close();
  vi.unstubAllGlobals();
});

/** A page, as the browser would show and hide it. */
class TurnedPage extends EventTarget {
  hidden: boolean;
  hasStream = true;

  constructor(hidden = false) {
    super();
    this.hidden = hidden;
    shareConnections({
      page: this,
      giveUp: () => {
        this.hasStream = false;
      },
      goOn: () => {
        this.hasStream = true;
      },
    });
  }

  turn(hidden: boolean): void {
    this.hidden = hidden;
    this.dispatchEvent(new Event('visibilitychange'));
  }
}

/** Ends when the messages that are under way have come: those of one process come in their order. */
async function settle(): Promise<void> {
  const [one, other] = [new BroadcastChannel('settled'), new BroadcastChannel('settled')];
  const heard = once(other, 'message');
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has one origin
  one.postMessage('');
  await heard;
}

test('a page that is hidden after the next one is shown leaves its stream to that', async () => {
  const first = new TurnedPage();
  const second = new TurnedPage();
  await settle();
  // Two windows, as far as both know.
  expect([first.hasStream, second.hasStream]).toEqual([true, true]);
  first.turn(true);
  await waitFor('the first has given up', () => !first.hasStream);
  expect(second.hasStream).toBe(true);
});

test('a page that is hidden before the next one is shown leaves its stream to that', async () => {
  const first = new TurnedPage();
  first.turn(true);
  await settle();
  expect(first.hasStream).toBe(true);
  const second = new TurnedPage();
  await waitFor('the first has given up', () => !first.hasStream);
  expect(second.hasStream).toBe(true);
  first.turn(false);
  expect(first.hasStream).toBe(true);
});

test('a page that is opened in the background leaves its stream to one that is shown', async () => {
  const shown = new TurnedPage();
  const behind = new TurnedPage(true);
  await waitFor('the one behind has given up', () => !behind.hasStream);
  expect(shown.hasStream).toBe(true);
});
