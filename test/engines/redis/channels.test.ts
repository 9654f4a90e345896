import { expect, test } from 'vitest';
import { Channels } from '../../../src/engines/redis/messages/channels.ts';
import type { Subscriber, SubscriberEvents } from '../../../src/engines/redis/driver.ts';
import { newClient } from '../../core/new-client.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

/** Channels over a connection that hears what the test says. */
function channelsOf(clock: VirtualClock) {
  let tell: SubscriberEvents['message'] = () => undefined;
  let miss: SubscriberEvents['gap'] = () => undefined;
  const left: string[] = [];
  const channels = new Channels({
    client: newClient(clock),
    open: async ({ message, gap }): Promise<Subscriber> => {
      tell = message;
      miss = gap;
      return {
        subscribe: async () => {},
        unsubscribe: async (_mode, channel) => void left.push(channel),
        close: async () => {},
      };
    },
    patienceMs: 1000,
  });
  return { channels, left, gap: () => miss(), message: (channel: string) => tell(channel, '0', channel) };
}

test('a message of another client since our own last one is remembered, also without a listener', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { channels, message } = channelsOf(clock);
    expect(channels.heardOthers('a'), 'no client has ever listened').toBe(false);
    const unwatch = await channels.watch('channel', 'a', () => undefined);
    unwatch();
    expect(channels.heardOthers('a')).toBe(false);

    channels.expectEcho('a');
    message('a');
    expect(channels.heardOthers('a'), 'that was our own').toBe(false);
    message('a');
    expect(channels.heardOthers('a')).toBe(true);

    channels.expectEcho('a');
    expect(channels.heardOthers('a'), 'since then nothing has come').toBe(false);
    message('b');
    expect(channels.heardOthers('a'), 'of another lock').toBe(false);
    await channels.close();
  });
});

// A message of our own is on its way back to us when the connection breaks: it never comes. What comes next is another's.
test('after a gap the next message is heard, though one of our own was expected before', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { channels, gap, message } = channelsOf(clock);
    let heard = 0;
    await channels.watch('channel', 'a', () => void heard++);
    channels.expectEcho('a');
    gap();
    const before = heard;
    message('a');
    expect(heard).toBe(before + 1);
    await channels.close();
  });
});

test('a channel that was watched again while it lingered is left after its last watcher', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { channels, left } = channelsOf(clock);
    const first = await channels.watch('channel', 'a', () => undefined);
    first();
    const again = await channels.watch('channel', 'a', () => undefined);
    await clock.sleep(10_000);
    expect(left, 'a client listens').toStrictEqual([]);
    again();
    await clock.sleep(10_000);
    expect(left).toStrictEqual(['a']);
    await channels.close();
  });
});
