import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CommandOutcome, RedisDriver, SubscriptionMode } from '../../../src/engines/redis/driver.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import {
  type DriverBench,
  type Ear,
  listen,
  listenersOn,
  openDriver,
  subscriptionsAt,
  waitDeserted,
} from './driver-bench.ts';

const modes: readonly SubscriptionMode[] = ['channel', 'pattern', 'shard'];

/** What is published to be heard in a mode, and how. */
const publishBy = { channel: 'PUBLISH', pattern: 'PUBLISH', shard: 'SPUBLISH' } as const;

export function evaluate(script: string, key: string, ...args: readonly string[]): string[] {
  return ['EVAL', script, '1', key, ...args];
}

/** What every driver does, whichever client and whichever servers. */
export function driverCases(bench: DriverBench): void {
  describe('commands', () => {
    test('give plain replies: numbers, text, nothing, and lists of them', async () => {
      const { driver } = await openDriver(bench);
      const key = randomUUID();
      const script = "return {1, 'text', false, {2, {'deep', 3}}, {}, redis.status_reply('FINE')}";
      expect(await driver.send(key, evaluate(script, key))).toEqual([
        1,
        'text',
        null,
        [2, ['deep', 3]],
        [],
        'FINE',
      ]);
      expect(await driver.send(key, ['GET', key])).toBeNull();
      expect(await driver.send(key, ['SET', key, 'value'])).toBe('OK');
      expect(await driver.send(key, ['GET', key])).toBe('value');
    });

    test('carry any text there and back', async () => {
      const { driver } = await openDriver(bench);
      const key = `{${randomUUID()}} ключ \r\n$3\r\n`;
      const text = 'a\r\n\0b\n"\'\\ ü 漢字 🔒 \u2028';
      expect(await driver.send(key, evaluate('return {KEYS[1], ARGV[1], #ARGV[1]}', key, text))).toEqual([
        key,
        text,
        Buffer.byteLength(text),
      ]);
      expect(await driver.send(key, evaluate('return ARGV[1]', key, ''))).toBe('');
    });

    test('carry whole numbers as they are, far beyond a time in microseconds', async () => {
      const { driver } = await openDriver(bench);
      const key = randomUUID();
      for (const number of [0, -1, 1_763_190_000_000_000, 2 ** 53 - 64, -(2 ** 53 - 64)]) {
        await driver.send(key, ['SET', key, String(number)]);
        expect(await driver.send(key, evaluate("return redis.call('INCRBY', KEYS[1], 0)", key))).toBe(number);
      }
    });

    test('give the pairs of a map one after the other', async () => {
      const { driver } = await openDriver(bench);
      const key = randomUUID();
      await driver.send(key, ['HSET', key, 'a', '1']);
      expect(await driver.send(key, ['HGETALL', key])).toEqual(['a', '1']);
      expect(await driver.send(key, ['CONFIG', 'GET', 'maxmemory'])).toEqual(['maxmemory', '0']);
    });

    test('fail with the error of the server, its code first', async () => {
      const { driver } = await openDriver(bench);
      const key = randomUUID();
      await driver.send(key, ['SET', key, 'text']);
      await expect(driver.send(key, ['HGET', key, 'field'])).rejects.toThrow(/^WRONGTYPE /);
      await expect(driver.send(key, ['EVALSHA', '0'.repeat(40), '1', key])).rejects.toThrow(/^NOSCRIPT /);
      await expect(driver.send(key, evaluate("return redis.error_reply('MINE alone')", key))).rejects.toThrow(
        /^MINE alone/,
      );
    });

    test('of one turn of the loop are written together, and answered each by itself', async () => {
      const { driver } = await openDriver(bench);
      const key = randomUUID();
      const master = await bench.masterOf(key);
      const reads = async () => Number((await master.info('stats'))['total_reads_processed']);
      await driver.send(key, ['PING']);
      const before = await reads();
      const count = 400;
      const sent = Array.from({ length: count }, (_, at) => driver.send(key, ['GET', `{${key}}:${at}`]));
      const refused = driver.send(key, ['HGET', key]).catch(String);
      expect(await Promise.all(sent)).toEqual(sent.map(() => null));
      expect(await refused).toMatch(/wrong number of arguments/);
      expect((await reads()) - before).toBeLessThan(count / 8);
    });

    test('that were answered had a connection, or one was made for them', async () => {
      const { driver } = await openDriver(bench);
      const copy = await driver.duplicate();
      onTestFinished(() => copy.close());
      for (const each of [driver, copy]) {
        const key = randomUUID();
        const mayLeave = each.isUp?.(key) !== false;
        const before = each.connectionsMade;
        await each.send(key, ['PING']);
        expect(mayLeave || (each.connectionsMade ?? 0) > (before ?? 0)).toBe(true);
      }
    });

    test('without a key go to the server of the key they are sent for', async () => {
      const { driver } = await openDriver(bench);
      for (let each = 0; each < 6; each += 1) {
        const key = randomUUID();
        const master = await bench.masterOf(key);
        const sha = await driver.send(key, ['SCRIPT', 'LOAD', `return '${key}'`]);
        expect(await master.command('SCRIPT', 'EXISTS', String(sha))).toEqual([1]);
        expect(await driver.send(key, ['EVALSHA', String(sha), '1', key])).toBe(key);
      }
    });
  });

  describe('commands that are sent together', () => {
    test('have an outcome each', async () => {
      const { driver } = await openDriver(bench);
      const key = randomUUID();
      const outcomes = await driver.sendTogether(key, [
        ['EVALSHA', '0'.repeat(40), '1', key],
        ['SET', key, 'text'],
        ['HGET', key, 'field'],
        ['WAIT', '0', '10'],
        ['HGETALL', `{${key}}`],
      ]);
      expect(outcomes.map(wordOf)).toEqual(['NOSCRIPT', 'OK', 'WRONGTYPE', expect.any(Number), []]);
    });

    test('are on one connection, right behind each other, also in a crowd', async () => {
      const { driver } = await openDriver(bench);
      const keys = Array.from({ length: 40 }, () => randomUUID());
      const replies = await Promise.all(
        keys.map(async (key) => {
          const count = evaluate("return redis.call('INCR', KEYS[1])", key);
          return driver.sendTogether(key, [['CLIENT', 'ID'], count, ['CLIENT', 'ID'], count]);
        }),
      );
      for (const [before, first, after, second] of replies) {
        expect(wordOf(first)).toBe(1);
        expect(wordOf(second)).toBe(2);
        expect(wordOf(after)).toBe(wordOf(before));
      }
    });
  });

  describe('servers', () => {
    test('are known by their address', async () => {
      const { driver } = await openDriver(bench);
      const masters = await driver.findMasters();
      for (let each = 0; each < 6; each += 1) {
        const key = randomUUID();
        await driver.send(key, ['PING']);
        const { port } = await bench.masterOf(key);
        expect(driver.nodeOf(key)).toBe(`127.0.0.1:${port}`);
        expect(masters.map(({ id }) => id)).toContain(driver.nodeOf(key));
      }
      expect(new Set(masters.map(({ id }) => id)).size).toBe(masters.length);
    });

    test('are reached directly, each of them', async () => {
      const { driver } = await openDriver(bench);
      const names = await Promise.all(
        (await driver.findMasters()).map(async (node) => [
          node.id,
          await node.send(['CONFIG', 'GET', 'port']),
        ]),
      );
      for (const [id, port] of names) expect(port).toEqual(['port', String(id).split(':')[1]]);
    });
  });

  describe('a subscriber', () => {
    test.each(modes)('hears by %s', async (mode) => {
      const { driver } = await openDriver(bench);
      const ear = await listen(driver);
      const channels = Array.from({ length: 5 }, () => `канал:${randomUUID()}`);
      const sourceOf = (channel: string): string =>
        mode === 'pattern' ? `${channel.slice(0, 20)}*` : channel;
      await Promise.all(channels.map((channel) => ear.subscribe(mode, sourceOf(channel))));
      for (const channel of channels)
        await driver.send(channel, [publishBy[mode], channel, `news\r\nof ${channel}`]);
      await waitFor('all is heard', () => ear.heard.length >= channels.length);
      expect(new Set(ear.heard)).toEqual(
        new Set(channels.map((channel) => [sourceOf(channel), `news\r\nof ${channel}`, channel])),
      );
      expect(ear.gaps).toBe(0);
    });

    test.each(modes)('that leaves by %s leaves nothing', async (mode) => {
      const { driver } = await openDriver(bench);
      const ear = await listen(driver);
      const channels = Array.from({ length: 5 }, () => randomUUID());
      await Promise.all(channels.map((channel) => ear.subscribe(mode, channel)));
      expect((await subscriptions(bench)).length).toBeGreaterThan(0);
      await Promise.all(channels.map((channel) => ear.unsubscribe(mode, channel)));
      expect(await subscriptions(bench)).toEqual([]);
      // And back: what was left must not stand in the way of what comes after it.
      const channel = channels[0]!;
      await ear.subscribe(mode, channel);
      void ear.unsubscribe(mode, channel);
      await ear.subscribe(mode, channel);
      await driver.send(channel, [publishBy[mode], channel, 'again']);
      await waitFor('it is heard again', () => ear.heard.length > 0);
    });

    // The servers of a cluster hear of it one after the other, and each link comes back by itself. The gap of the first may be
    // told while the link to the last is still to be killed: what is published then is missed there, and told as one more
    // gap. So the first link is back before the others are killed, and the words are said again until all are heard.
    test(
      'whose connection is killed tells of the gap when it hears everything again',
      { timeout: 60_000 },
      async () => {
        const { driver } = await openDriver(bench);
        const ear = await listen(driver);
        const channels = modes.map((mode) => ({ mode, channel: randomUUID() }));
        for (const { mode, channel } of channels) await ear.subscribe(mode, channel);
        for (let round = 1; round <= 2; round += 1) {
          const before = ear.gaps;
          for (const server of bench.servers()) {
            const killed = Number(await server.command('CLIENT', 'KILL', 'TYPE', 'pubsub'));
            if (killed > 0) await waitFor('the gap is reported', () => ear.gaps > before);
          }
          expect(ear.gaps).toBeGreaterThan(before);
          await waitFor('all is heard', () => hearsAll(ear, driver, channels));
        }
      },
    );

    test('that is closed leaves no connection', async () => {
      const { driver, user } = await openDriver(bench);
      const ear = await listen(driver);
      for (const mode of modes) await ear.subscribe(mode, randomUUID());
      await ear.close();
      await user.close();
      await waitDeserted(bench.servers());
      expect(await subscriptions(bench)).toEqual([]);
    });
  });

  describe('a driver', () => {
    test('that is closed leaves nothing of its own, and the client as it was', async () => {
      const user = await bench.user();
      const before = listenersOn(user.client);
      const { driver } = await openDriver({ user: async () => user });
      const key = randomUUID();
      await driver.send(key, ['PING']);
      const twin = await driver.duplicate();
      await twin.send(key, ['PING']);
      const stop = driver.onReconnect(() => undefined);
      driver.onReconnect(() => undefined);
      const ear = await listen(driver);
      await ear.subscribe('shard', key);
      await ear.subscribe('channel', key);
      stop();
      await twin.close();
      await driver.close();
      expect(listenersOn(user.client)).toEqual(before);
      const next = await openDriver({ user: async () => user });
      expect(await next.driver.send(key, ['ECHO', 'still open'])).toBe('still open');
      await next.driver.close();
      await user.close();
      await waitDeserted(bench.servers());
    });

    test('has a twin on connections of its own', async () => {
      const { driver } = await openDriver(bench);
      const key = randomUUID();
      const twin = await driver.duplicate();
      expect(await twin.send(key, ['CLIENT', 'ID'])).not.toBe(await driver.send(key, ['CLIENT', 'ID']));
      expect([twin.client, twin.topology]).toEqual([driver.client, driver.topology]);
      // What one of them does must not end the other.
      await driver.close();
      expect(await twin.send(key, ['ECHO', 'on'])).toBe('on');
      await twin.close();
    });

    test('tells when its connection was made again', async () => {
      const { driver } = await openDriver(bench);
      const key = randomUUID();
      let told = 0;
      const stop = driver.onReconnect(() => {
        told += 1;
      });
      await driver.send(key, ['PING']);
      const before = told;
      const master = await bench.masterOf(key);
      await master.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await waitFor('it is notified', async () => {
        await driver.send(key, ['PING']).catch(() => undefined);
        return told > before;
      });
      await waitFor('it is used again', async () => (await driver.send(key, ['PING'])) === 'PONG');
      stop();
      const last = told;
      await master.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await waitFor('it is used again', async () => (await driver.send(key, ['PING'])) === 'PONG');
      expect(told).toBe(last);
    });
  });
}

/** The reply, or the first word of the error. */
export function wordOf(outcome: CommandOutcome | undefined): unknown {
  if (outcome === undefined) return undefined;
  return 'reply' in outcome ? outcome.reply : outcome.error.message.split(' ')[0];
}

async function subscriptions(bench: DriverBench): Promise<unknown[]> {
  const all = await Promise.all(bench.servers().map(subscriptionsAt));
  return all.flat();
}

/** Says a word on each channel, until all are heard or one more gap is reported: then it has to be said again. */
async function hearsAll(
  ear: Ear,
  driver: RedisDriver,
  channels: readonly { readonly mode: SubscriptionMode; readonly channel: string }[],
): Promise<boolean> {
  const gapsBefore = ear.gaps;
  const word = randomUUID();
  for (const { mode, channel } of channels) await driver.send(channel, [publishBy[mode], channel, word]);
  // Not the number of messages: a cluster may bring news to a server after they were heard at the one before.
  const heard = (): number =>
    new Set(ear.heard.flatMap(([source, message]) => (message === word ? [source] : []))).size;
  await waitFor(
    'all is heard, or one more gap is reported',
    () => heard() === channels.length || ear.gaps > gapsBefore,
  );
  return heard() === channels.length;
}
