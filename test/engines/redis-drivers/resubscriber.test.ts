import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { expect, onTestFinished, test } from 'vitest';
import type { SubscriberEvents } from '../../../src/engines/redis/driver.ts';
import { IoredisMessages } from '../../../src/engines/redis/drivers/ioredis/ioredis-messages.ts';
import type {
  MessageConnection,
  MessageEvents,
} from '../../../src/engines/redis/drivers/subscriptions/message-connection.ts';
import type { IoredisClient } from '../../../src/engines/redis/drivers/ioredis/ioredis-shapes.ts';
import { NodeRedisMessages } from '../../../src/engines/redis/drivers/node-redis/node-redis-messages.ts';
import type { NodeRedisClient } from '../../../src/engines/redis/drivers/node-redis/node-redis-shapes.ts';
import { Resubscriber } from '../../../src/engines/redis/drivers/subscriptions/resubscriber.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { started } from './driver-bench.ts';

const host = '127.0.0.1';

const connections: Readonly<Record<string, (port: number, events: MessageEvents) => MessageConnection>> = {
  'node-redis': (port, events) => {
    const like = createClient({ socket: { host, port } }) as unknown as NodeRedisClient;
    return new NodeRedisMessages(like, events);
  },
  ioredis: (port, events) =>
    new IoredisMessages(new Redis({ host, port, lazyConnect: true }) as unknown as IoredisClient, events),
};

/** A place that can be said to be another one, and time that does not pass: what happens needs no pause to be over. */
class Move {
  readonly clock = new VirtualClock();
  readonly asked: string[] = [];
  readonly heard: string[] = [];
  gaps = 0;
  /** What is found out by looking, and when a client has looked. */
  found: RedisServer | undefined;
  readonly looked: Promise<void>;
  readonly subscriber: Resubscriber;
  #place: RedisServer;
  #tell: () => void = () => undefined;

  constructor(place: RedisServer, open: (port: number, events: MessageEvents) => MessageConnection) {
    this.#place = place;
    let haveLooked: () => void;
    this.looked = new Promise((resolve) => {
      haveLooked = resolve;
    });
    const events: SubscriberEvents = {
      message: (_source, message) => this.heard.push(message),
      gap: () => {
        this.gaps += 1;
      },
    };
    const places = {
      placeOf: () => String(this.#place.port),
      look: async () => {
        haveLooked();
        if (this.found !== undefined) this.#place = this.found;
      },
      open: async (at: string, each: MessageEvents) => {
        this.asked.push(at);
        return open(Number(at), each);
      },
      onChange: (listener: () => void) => {
        this.#tell = listener;
        return () => undefined;
      },
    };
    this.subscriber = new Resubscriber(places, events, () => undefined, this.clock);
    onTestFinished(() => this.subscriber.close());
  }

  to(place: RedisServer): void {
    this.#place = place;
    this.#tell();
  }
}

describeRedis('a channel that has moved', () => {
  for (const [name, open] of Object.entries(connections)) {
    test(`${name}: is asked for at once where it is now, in the middle of a pause`, async () => {
      const [before, after] = [await started(startRedisServer()), await started(startRedisServer())];
      const channel = randomUUID();
      const move = new Move(before, open);
      await move.subscriber.subscribe('shard', channel);
      await before.kill();
      await waitFor('it pauses', () => move.asked.length > 1 && move.clock.pending === 1);

      move.to(after);

      await waitFor('the gap is reported', () => move.gaps > 0);
      await after.command('SPUBLISH', channel, 'here');
      await waitFor('it is heard', () => move.heard.length > 0);
      expect(move.heard).toEqual(['here']);
    });

    test(`${name}: does not wait for the server where it was, which says nothing`, async () => {
      const [before, after] = [await started(startRedisServer()), await started(startRedisServer())];
      const channel = randomUUID();
      const move = new Move(before, open);
      await before.pause();
      const subscribing = move.subscriber.subscribe('shard', channel);
      await waitFor('it is asked for', () => move.asked.length === 1);

      move.to(after);

      await subscribing;
      await after.command('SPUBLISH', channel, 'here');
      await waitFor('it is heard', () => move.heard.length > 0);
      expect(move.heard).toEqual(['here']);
    });

    test(`${name}: is looked for when the server has been silent for long, without a report of a move`, async () => {
      const [before, after] = [await started(startRedisServer()), await started(startRedisServer())];
      const channel = randomUUID();
      const move = new Move(before, open);
      move.found = after;
      await before.pause();
      const subscribing = move.subscriber.subscribe('shard', channel);
      await waitFor('it is asked for', () => move.asked.length === 1);

      // Until then and no further: the next server is to have its time.
      await move.clock.run(() => move.looked);

      await subscribing;
      await after.command('SPUBLISH', channel, 'here');
      await waitFor('it is heard', () => move.heard.length > 0);
      expect(move.heard).toEqual(['here']);
    });
  }

  // The server confirms a channel, and the link to it breaks so many microtasks later: before the subscriber has noted the
  // channel, between that and its promise, or after the promise. Whichever it is, a promised channel is heard.
  for (const [name, open] of Object.entries(connections)) {
    test(`${name}: is subscribed again when its link ends at any instant of its confirmation`, async () => {
      const server = await started(startRedisServer());
      for (let microtasks = 0; microtasks < 20; microtasks++) {
        const channel = randomUUID();
        let broken = false;
        const move = new Move(server, (port, events) => {
          const inner = open(port, events);
          const subscribe: MessageConnection['subscribe'] = async (...asked) => {
            await inner.subscribe(...asked);
            if (!broken) breakLater();
          };
          const breakLater = (passed = 0): void => {
            broken = true;
            if (passed === microtasks) events.trouble();
            else queueMicrotask(() => breakLater(passed + 1));
          };
          return {
            connect: () => inner.connect(),
            ping: () => inner.ping(),
            subscribe,
            unsubscribe: (...asked) => inner.unsubscribe(...asked),
            close: () => inner.close(),
          };
        });
        await move.subscriber.subscribe('channel', channel);
        // Said again and again: the server may still count the connection that was given up.
        await waitFor(`it is heard (${microtasks} microtasks)`, async () => {
          await server.command('PUBLISH', channel, 'word');
          return move.heard.includes('word');
        });
        expect(broken).toBe(true);
      }
    });
  }
});
