import assert from 'node:assert/strict';
import { test } from 'vitest';
import { Channels } from '../../../src/engines/redis/channels.ts';
import type { Subscriber, SubscriberEvents } from '../../../src/engines/redis/driver.ts';
import { newClient } from '../../core/new-client.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

/** Channels over a connection that hears what the test says. */
function channelsOf(clock: VirtualClock) {
  let tell: SubscriberEvents['message'] = () => undefined;
  const channels = new Channels({
    client: newClient(clock),
    open: async ({ message }): Promise<Subscriber> => {
      tell = message;
      return { subscribe: async () => {}, unsubscribe: async () => {}, close: async () => {} };
    },
    patienceMs: 1000,
  });
  return { channels, message: (channel: string) => tell(channel, '0', channel) };
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
