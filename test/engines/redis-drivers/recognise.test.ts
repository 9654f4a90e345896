import * as ioredis6 from 'ioredis';
import * as ioredis5 from 'ioredis-5';
import * as iovalkey from 'iovalkey';
import * as redis6 from 'redis';
import * as redis5 from 'redis-5';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EngineError } from '../../../src/spi/errors.ts';
import { driverFor } from '../../../src/engines/redis/drivers/recognise.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { clientKinds } from './client-kinds.ts';
import { openDriver } from './driver-bench.ts';

const sentinel = { name: 'm', sentinelRootNodes: [{ host: 'localhost', port: 1 }] };
const lazy = { lazyConnect: true } as const;

describe('a client is recognised by its shape', () => {
  test.each([
    ['redis 6', redis6.createClient(), 'node-redis', 'single'],
    ['redis 6 cluster', redis6.createCluster({ rootNodes: [{}] }), 'node-redis', 'cluster'],
    ['redis 6 sentinel', redis6.createSentinel(sentinel), 'node-redis', 'sentinel'],
    ['redis 5', redis5.createClient(), 'node-redis', 'single'],
    ['redis 5 cluster', redis5.createCluster({ rootNodes: [{}] }), 'node-redis', 'cluster'],
    ['redis 5 sentinel', redis5.createSentinel(sentinel), 'node-redis', 'sentinel'],
    ['ioredis 6', new ioredis6.Redis(lazy), 'ioredis', 'single'],
    [
      'ioredis 6 by sentinels',
      new ioredis6.Redis({ ...lazy, sentinels: [{}], name: 'm' }),
      'ioredis',
      'sentinel',
    ],
    ['ioredis 6 cluster', new ioredis6.Cluster([{}], lazy), 'ioredis', 'cluster'],
    ['ioredis 5', new ioredis5.Redis(lazy), 'ioredis', 'single'],
    [
      'ioredis 5 by sentinels',
      new ioredis5.Redis({ ...lazy, sentinels: [{}], name: 'm' }),
      'ioredis',
      'sentinel',
    ],
    ['ioredis 5 cluster', new ioredis5.Cluster([{}], lazy), 'ioredis', 'cluster'],
    ['iovalkey', new iovalkey.Redis(lazy), 'ioredis', 'single'],
    [
      'iovalkey by sentinels',
      new iovalkey.Redis({ ...lazy, sentinels: [{}], name: 'm' }),
      'ioredis',
      'sentinel',
    ],
    ['iovalkey cluster', new iovalkey.Cluster([{}], lazy), 'ioredis', 'cluster'],
  ])('%s', async (_name, client, kind, topology) => {
    const driver = driverFor(client);
    expect([driver.client, driver.topology]).toEqual([kind, topology]);
    await driver.close();
  });
});

describe('what is no client is refused, and named', () => {
  const noop = (): void => undefined;
  const oldIoredis = { call: noop, pipeline: noop, duplicate: noop, defineCommand: noop, status: 'ready' };
  test.each([
    ['redis://localhost', /a string: open an address with connect\(url\)/],
    [new URL('redis://localhost'), /an address: open it with connect\(url\)/],
    [undefined, /this is undefined/],
    [null, /this is null/],
    [noop, /this is function/],
    [{}, /this is something else/],
    [Promise.resolve(), /a promise: await it first/],
    [redis6.createClientPool(), /a pool of node-redis/],
    [redis6.createClient().legacy(), /callback interface/],
    // As the majors before look, which are too old to be installed next to the others.
    [{ sendCommand: noop, isOpen: true, duplicate: noop, sSubscribe: noop }, /node-redis 4 or older/],
    [
      { call: noop, pipeline: noop, duplicate: noop, defineCommand: noop, ssubscribe: noop, status: 'ready' },
      /ioredis 4 or older/,
    ],
    [
      { ...oldIoredis, isCluster: true, nodes: noop, slots: [], _addedScriptHashes: {} },
      /ioredis 4 or older/,
    ],
  ])('%o', (client, remark) => {
    expect(() => driverFor(client)).toThrow(TypeError);
    expect(() => driverFor(client)).toThrow(remark);
    expect(() => driverFor(client)).toThrow(/node-redis 5 or newer/);
  });

  test.each([
    ['redis 6', redis6.createClient({ keyPrefix: 'p:' })],
    ['redis 6 cluster', redis6.createCluster({ rootNodes: [{}], keyPrefix: 'p:' })],
    ['redis 6 sentinel', redis6.createSentinel({ ...sentinel, keyPrefix: 'p:' })],
    ['ioredis 6', new ioredis6.Redis({ ...lazy, keyPrefix: 'p:' })],
    ['ioredis 6 cluster', new ioredis6.Cluster([{}], { ...lazy, keyPrefix: 'p:' })],
    ['ioredis 6 cluster, each', new ioredis6.Cluster([{}], { ...lazy, redisOptions: { keyPrefix: 'p:' } })],
    ['ioredis 5', new ioredis5.Redis({ ...lazy, keyPrefix: 'p:' })],
    ['ioredis 5 cluster', new ioredis5.Cluster([{}], { ...lazy, redisOptions: { keyPrefix: 'p:' } })],
  ])('%s with a prefix', (_name, client) => {
    expect(() => driverFor(client)).toThrow(TypeError);
    expect(() => driverFor(client)).toThrow(/key prefix/);
  });
});

describeRedis('settings of a client', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterAll(() => server.stop());

  test.each([
    ['redis 6', redis6.createClient()],
    ['redis 5', redis5.createClient()],
    ['redis 6 cluster', redis6.createCluster({ rootNodes: [{}] })],
    ['redis 5 cluster', redis5.createCluster({ rootNodes: [{}] })],
    ['redis 6 sentinel', redis6.createSentinel(sentinel)],
    ['redis 5 sentinel', redis5.createSentinel(sentinel)],
  ])('%s: the error of one that is not open names it', async (_name, client) => {
    const driver = driverFor(client);
    await expect(driver.send('key', ['PING'])).rejects.toThrow(EngineError);
    await expect(driver.send('key', ['PING'])).rejects.toThrow(/await client\.connect\(\)/);
    await expect(driver.sendTogether('key', [['PING']])).rejects.toThrow(/await client\.connect\(\)/);
    await driver.close();
  });

  test('that are for users and not for us do not reach us', async () => {
    const { RESP_TYPES } = redis6;
    const kinds = clientKinds.filter(({ name }) => name.startsWith('redis'));
    for (const kind of kinds) {
      const typeMapping = {
        [RESP_TYPES.NUMBER]: String,
        [RESP_TYPES.BLOB_STRING]: Buffer,
        [RESP_TYPES.ARRAY]: Set,
      };
      const { driver } = await openDriver({
        user: () => kind.single(server.port, { commandOptions: { typeMapping, timeout: 1 } }),
      });
      expect([kind.name, await driver.send('key', ['EVAL', "return {1, 'a'}", '0'])]).toEqual([
        kind.name,
        [1, 'a'],
      ]);
      // Longer than the time-out of the user's commands.
      expect(await driver.send('key', ['WAIT', '1', '20'])).toBe(0);
      expect(await driver.sendTogether('key', [['WAIT', '1', '20']])).toEqual([{ reply: 0 }]);
    }
  });

  test('by which ioredis makes text of numbers do not reach us', async () => {
    for (const kind of clientKinds.filter(({ name }) => name.startsWith('ioredis'))) {
      const { driver } = await openDriver({ user: () => kind.single(server.port, { stringNumbers: true }) });
      expect([kind.name, await driver.send('key', ['EVAL', "return {1, '1'}", '0'])]).toEqual([
        kind.name,
        [1, '1'],
      ]);
    }
  });

  test('of ioredis that change how it connects and queues are all right', async () => {
    for (const kind of clientKinds.filter(({ name }) => name.startsWith('ioredis'))) {
      for (const options of [
        { lazyConnect: true },
        { enableOfflineQueue: false },
        { enableAutoPipelining: true },
        { autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 },
        { enableReadyCheck: false, connectionName: 'theirs' },
      ]) {
        const { driver } = await openDriver({ user: () => kind.single(server.port, options) });
        expect([kind.name, options, await driver.send('key', ['ECHO', 'yes'])]).toEqual([
          kind.name,
          options,
          'yes',
        ]);
        expect(await driver.sendTogether('key', [['ECHO', 'yes']])).toEqual([{ reply: 'yes' }]);
      }
    }
  });

  test('in which it has subscriptions are refused', async () => {
    const client = redis6.createClient({ socket: { host: '127.0.0.1', port: server.port } });
    await client.connect();
    await client.subscribe('news', () => undefined);
    expect(() => driverFor(client)).toThrow(/has subscriptions/);
    client.destroy();
    const other = new ioredis5.Redis(server.port);
    await other.subscribe('news');
    expect(() => driverFor(other)).toThrow(/has subscriptions/);
    other.disconnect();
  });
});
