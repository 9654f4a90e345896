import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { RedisDriver, Subscriber } from '../../../src/engines/redis/driver.ts';
import { driverFor } from '../../../src/engines/redis/drivers/recognise.ts';
import type { RedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import type { UserClient } from './client-kinds.ts';

/** What the cases need of a topology and a kind of client. */
export interface DriverBench {
  user(options?: object): Promise<UserClient>;
  /** One that may have connections or subscriptions. */
  servers(): readonly RedisServer[];
  masterOf(key: string): Promise<RedisServer>;
}

export interface OpenDriver {
  readonly user: UserClient;
  readonly driver: RedisDriver;
}

/** Servers for one test, stopped after the clients that the test opens, or these would cry for them. */
export async function started<T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> {
  const servers = await starting;
  onTestFinished(() => servers.stop());
  return servers;
}

/** A driver over a user's client; both are closed when the test ends. */
export async function openDriver(bench: Pick<DriverBench, 'user'>, options?: object): Promise<OpenDriver> {
  const user = await bench.user(options);
  const driver = driverFor(user.client);
  onTestFinished(async () => {
    await driver.close();
    await user.close();
  });
  return { user, driver };
}

/** A subscriber that notes everything it hears. */
export interface Ear extends Subscriber {
  readonly heard: (readonly [source: string, message: string, channel: string])[];
  gaps: number;
}

export async function listen(driver: RedisDriver): Promise<Ear> {
  const heard: Ear['heard'] = [];
  const subscriber = await driver.openSubscriber({
    message: (...message) => heard.push(message),
    gap: () => {
      ear.gaps += 1;
    },
  });
  const ear: Ear = {
    heard,
    gaps: 0,
    subscribe: (mode, channel) => subscriber.subscribe(mode, channel),
    unsubscribe: (mode, channel) => subscriber.unsubscribe(mode, channel),
    close: () => subscriber.close(),
  };
  onTestFinished(() => ear.close());
  return ear;
}

/** How long `writes` waits for an answer. */
const PATIENCE_MS = 500;

/** As the engine does it: with patience of its own, and with a word to the driver when that is over. */
export async function writes(driver: RedisDriver, key: string): Promise<boolean> {
  const deadline = new AbortController();
  const late = sleep(PATIENCE_MS, 'late', { signal: deadline.signal });
  late.catch(() => undefined);
  const sent = driver.send(key, ['SET', key, 'written']);
  const answer = await Promise.race([sent, late]).finally(() => deadline.abort());
  if (answer === 'late') driver.suspect?.(key, PATIENCE_MS);
  return answer === 'OK';
}

/**
 * Once a client has told of a gap: hears a word of each of the modes. The first gap may have been that of some channels
 * only, while others had no server yet. What those miss until then is reported as one more gap, and said again here.
 */
export async function hears(
  ear: Ear,
  times: number,
  publish: (word: string) => Promise<unknown>,
): Promise<boolean> {
  const gapsBefore = ear.gaps;
  const word = randomUUID();
  await publish(word);
  let heard = 0;
  await waitFor('it is heard, or told that something was missed', () => {
    heard = ear.heard.filter(([, message]) => message === word).length;
    return heard === times || ear.gaps > gapsBefore;
  });
  return heard === times;
}

/** Connections to a server, without those of its like, of its sentinels and of the fixture. */
export async function connectionsTo(server: RedisServer): Promise<string[]> {
  const lines = String(await server.command('CLIENT', 'LIST'))
    .trim()
    .split('\n');
  return lines.filter(
    (line) => !/ flags=\w*[SM]| name=sentinel-| cmd=client\|list | cmd=psync | cmd=migrate /.test(line),
  );
}

export async function subscriptionsAt(server: RedisServer): Promise<unknown[]> {
  const own = (channels: unknown): unknown[] =>
    (channels as unknown[]).filter((channel) => channel !== '__sentinel__:hello');
  return [
    ...own(await server.command('PUBSUB', 'CHANNELS')),
    ...own(await server.command('PUBSUB', 'SHARDCHANNELS')),
    ...(Number(await server.command('PUBSUB', 'NUMPAT')) === 0 ? [] : ['a pattern']),
  ];
}

/** Until no client but the fixture is connected to any of the servers. */
export async function waitDeserted(servers: readonly RedisServer[]): Promise<void> {
  for (const server of servers.filter(({ isAlive, isPaused }) => isAlive && !isPaused)) {
    let left: string[] = [];
    await waitFor(
      `no client is connected to port ${server.port}`,
      async () => {
        left = await connectionsTo(server);
        return left.length === 0;
      },
      5_000,
    ).catch((error: unknown) => {
      throw new Error(`Still connected:\n${left.join('\n')}`, { cause: error });
    });
  }
}

export function listenersOn(client: unknown): Record<string, number> {
  const emitter = client as NodeJS.EventEmitter;
  return Object.fromEntries(emitter.eventNames().map((name) => [String(name), emitter.listenerCount(name)]));
}
