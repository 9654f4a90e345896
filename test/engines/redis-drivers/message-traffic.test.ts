import { expect, test } from 'vitest';
import type {
  MessageConnection,
  MessageEvents,
} from '../../../src/engines/redis/drivers/subscriptions/message-connection.ts';
import {
  SubscriptionConnection,
  type WantedChannel,
} from '../../../src/engines/redis/drivers/subscriptions/subscription-connection.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

/** A connection whose server sends what the test says, and that counts its PINGs. */
async function connected(clock: VirtualClock) {
  let events: MessageEvents | undefined;
  let pings = 0;
  const connection: MessageConnection = {
    connect: () => Promise.resolve(),
    subscribe: () => Promise.resolve(),
    unsubscribe: () => Promise.resolve(),
    ping: () => {
      pings += 1;
      return Promise.resolve();
    },
    close: () => undefined,
  };
  const heard: string[] = [];
  const link = new SubscriptionConnection(
    (given) => {
      events = given;
      return Promise.resolve(connection);
    },
    { message: (_topic, text) => void heard.push(text), lost: () => undefined },
    clock,
  );
  const topic: WantedChannel = {
    mode: 'channel',
    channel: 'news',
    link: undefined,
    promised: false,
    askedAt: undefined,
  };
  await link.subscribe(topic);
  return {
    link,
    heard,
    pings: () => pings,
    message: (text: string) => events!.message('news', text, 'news'),
  };
}

test('a connection on which messages arrive is sent no PING', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { link, heard, pings, message } = await connected(clock);
    for (let second = 1; second <= 30; second++) {
      await clock.sleep(1000);
      message(String(second));
    }
    expect(heard).toHaveLength(30);
    expect(pings()).toBe(0);
    await clock.sleep(13_000);
    expect(pings()).toBe(1);
    link.end();
  });
});
