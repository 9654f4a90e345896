import assert from 'node:assert/strict';
import { test } from 'vitest';
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

test('a message of somebody else since our own last one is remembered, also when nobody listens any more', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { channels, message } = channelsOf(clock);
    assert.equal(channels.heardOthers('a'), false, 'nobody has ever listened');
    const unwatch = await channels.watch('channel', 'a', () => undefined);
    unwatch();
    assert.equal(channels.heardOthers('a'), false);

    channels.expectEcho('a');
    message('a');
    assert.equal(channels.heardOthers('a'), false, 'that was our own');
    message('a');
    assert.equal(channels.heardOthers('a'), true);

    channels.expectEcho('a');
    assert.equal(channels.heardOthers('a'), false, 'since then nothing has come');
    message('b');
    assert.equal(channels.heardOthers('a'), false, 'of another lock');
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
    assert.equal(heard, before + 1);
    await channels.close();
  });
});

test('a channel that was wanted again while it lingered is left when nobody wants it any more', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { channels, left } = channelsOf(clock);
    const first = await channels.watch('channel', 'a', () => undefined);
    first();
    const again = await channels.watch('channel', 'a', () => undefined);
    await clock.sleep(10_000);
    assert.deepEqual(left, [], 'somebody listens');
    again();
    await clock.sleep(10_000);
    assert.deepEqual(left, ['a']);
    await channels.close();
  });
});
