import * as ioredis6 from 'ioredis';
import * as ioredis5 from 'ioredis-5';
import * as iovalkey from 'iovalkey';
import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import * as redis6 from 'redis';
import * as redis5 from 'redis-5';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type ClientModule,
  importersFor,
  loadClientModule,
} from '../../../src/engines/redis/drivers/opening/client-module.ts';
import { openRedis } from '../../../src/engines/redis/drivers/opening/open-redis.ts';
import { parseRedisAddress } from '../../../src/engines/redis/drivers/opening/redis-address.ts';
import { importIfInstalled } from '../../../src/core/import-package.ts';
import { EngineError } from '../../../src/spi/errors.ts';
import { freePort } from '../../fixtures/processes/free-port.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisCluster } from '../../fixtures/redis/redis-cluster.ts';
import { startRedisSentinel } from '../../fixtures/redis/redis-sentinel.ts';
import { startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { tlsArguments } from '../../fixtures/redis/tls-arguments.ts';
import { selfSigned } from '../../fixtures/network/self-signed.ts';
import { listen, started, waitDeserted } from './driver-bench.ts';

const modules: readonly { readonly name: string; readonly load: () => Promise<ClientModule> }[] = [
  { name: 'redis 6', load: () => loadClientModule([async () => redis6]) },
  { name: 'redis 5', load: () => loadClientModule([async () => redis5]) },
  { name: 'ioredis 6', load: () => loadClientModule([async () => ioredis6]) },
  { name: 'ioredis 5', load: () => loadClientModule([async () => ioredis5]) },
  { name: 'iovalkey', load: () => loadClientModule([async () => iovalkey]) },
];

describe('the package of a client', () => {
  const nowhere = 'holdfast-is-not-a-client-of-redis';
  const missing = () => importIfInstalled(nowhere);
  const old = async (): Promise<object> => ({ createClient: () => undefined });

  test('is node-redis if there is one', async () => {
    expect(await loadClientModule()).toMatchObject({ kind: 'node-redis' });
  });

  test('is iovalkey for a Valkey, if there is one', async () => {
    const found = await loadClientModule(importersFor('valkey'));
    expect(found.module).toHaveProperty('Valkey');
  });

  test('is the first that is installed and new enough', async () => {
    const found = await loadClientModule([missing, old, async () => ioredis6, async () => redis6]);
    expect(found.kind).toBe('ioredis');
  });

  test('is asked for if there is none', async () => {
    await expect(loadClientModule([missing, old])).rejects.toThrow(EngineError);
    await expect(loadClientModule([missing, old])).rejects.toThrow(/npm install redis/);
  });

  test('that fails to load says why', async () => {
    const broken = async (): Promise<never> => {
      throw new SyntaxError('as expected');
    };
    await expect(loadClientModule([broken, async () => redis6])).rejects.toThrow('as expected');
  });
});

describeRedis('an address is opened', { timeout: 30_000 }, () => {
  test('of one server, with a password and a database', async () => {
    const server = await started(startRedisServer({ args: { requirepass: 'p@ss:w/rd' } }));
    for (const { name, load } of modules) {
      const url = `redis://default:${encodeURIComponent('p@ss:w/rd')}@127.0.0.1:${server.port}/5`;
      const driver = await openRedis(parseRedisAddress(url), load);
      expect([name, await driver.send('key', ['CLIENT', 'GETNAME'])]).toEqual([name, 'holdfast']);
      expect(await driver.send('key', ['CLIENT', 'INFO'])).toMatch(/ db=5 /);
      await usable(driver);
      await driver.close();
      await waitDeserted([server]);
    }
  });

  test('with TLS, by the files and the name that it gives', async () => {
    using signed = selfSigned();
    const tlsPort = await freePort();
    await started(startRedisServer({ args: tlsArguments(tlsPort, signed) }));
    const ca = encodeURIComponent(signed.certificate);
    const host = `rediss://127.0.0.1:${tlsPort}`;
    await Promise.all(
      modules.map(async ({ name, load }) => {
        for (const query of [`ca=${ca}&servername=localhost&db=3`, 'rejectUnauthorized=false&db=3']) {
          const driver = await openRedis(parseRedisAddress(`${host}?family=4&${query}`), load);
          const said = await driver.send('key', ['CLIENT', 'INFO']);
          expect([name, said]).toEqual([name, expect.stringContaining(' db=3 ')]);
          await driver.close();
        }
        const refused = await failure(openRedis(parseRedisAddress(host), load));
        expect([name, refused.message]).toEqual([name, expect.stringMatching(/self.signed/i)]);
      }),
    );
  });

  test('of sentinels', async () => {
    const topology = await started(startRedisSentinel({ replicas: 1, downAfterMs: 60_000 }));
    for (const { name, load } of modules) {
      const driver = await openRedis(parseRedisAddress(`${topology.url}/1`), load);
      expect([name, driver.topology, await driver.send('key', ['CLIENT', 'GETNAME'])]).toEqual([
        name,
        'sentinel',
        'holdfast',
      ]);
      expect(await driver.send('key', ['CLIENT', 'INFO'])).toMatch(/ db=1 /);
      await usable(driver);
      await driver.close();
      await waitDeserted([...topology.servers, ...topology.sentinels]);
    }
  });

  test('of a cluster', async () => {
    const cluster = await started(startRedisCluster({ replicasPerMaster: 0, nodeTimeoutMs: 60_000 }));
    for (const { name, load } of modules) {
      const driver = await openRedis(parseRedisAddress(cluster.url), load);
      expect([name, driver.topology, await driver.send('key', ['CLIENT', 'GETNAME'])]).toEqual([
        name,
        'cluster',
        'holdfast',
      ]);
      await usable(driver);
      await driver.close();
      await waitDeserted(cluster.nodes);
    }
  });

  test.each(modules)('and found again after an outage: $name', async ({ load }) => {
    const server = await started(startRedisServer());
    const driver = await openRedis(parseRedisAddress(server.url), load);
    onTestFinished(() => driver.close());
    await server.kill();
    const waiting = driver.send('key', ['PING']);
    waiting.catch(() => undefined);
    await server.restart();
    await waitFor('it is back', async () => (await driver.send('key', ['PING'])) === 'PONG');
    await expect(usable(driver)).resolves.toBeUndefined();
  });
});

describeRedis('an address that cannot be opened', () => {
  // Node-redis 5 prints what its sentinel meets on the way.
  beforeAll(() => void vi.spyOn(console, 'log').mockImplementation(() => undefined));
  afterAll(() => void vi.restoreAllMocks());

  test.concurrent('is refused soon, and nothing is left', async () => {
    const attempts = modules.flatMap(({ load }) =>
      ['redis://me:s3cret@H', 'redis-sentinel://me:s3cret@H/m', 'redis-cluster://me:s3cret@H'].map(
        async (form) => {
          const port = await freePort();
          const error = await failure(
            openRedis(parseRedisAddress(form.replace('H', `127.0.0.1:${port}`)), load),
          );
          expect(error).toMatchObject({ code: 'ENGINE', retryable: true, engine: 'redis' });
          expect(error.message).toContain(`127.0.0.1:${port}`);
          expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('s3cret');
          return port;
        },
      ),
    );
    const ports = await Promise.all(attempts);
    // No client goes on trying: the program that listens there now hears nothing for longer than any pause between two attempts.
    const visits: number[] = [];
    const servers = ports.map((port) =>
      createServer((socket) => {
        visits.push(port);
        socket.destroy();
      })
        // Another test may have taken the port meanwhile: nothing reserves it.
        .on('error', () => undefined)
        .listen(port, '127.0.0.1'),
    );
    await sleep(1_800);
    const listening = servers.filter((server) => server.listening);
    expect(listening.length).toBeGreaterThan(0);
    await Promise.all(listening.map(closed));
    expect(visits).toEqual([]);
  });

  test.each(modules)('is refused at once if the password is wrong: $name', async ({ load }) => {
    const server = await started(startRedisServer({ args: { requirepass: 'right' } }));
    const error = await failure(
      openRedis(parseRedisAddress(`redis://default:s3cret@127.0.0.1:${server.port}`), load),
    );
    expect(error).toMatchObject({ code: 'ENGINE', retryable: false });
    expect(error.message).toContain('WRONGPASS');
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('s3cret');
    await waitDeserted([server]);
  });

  test.concurrent('with TLS is never spoken to without', async () => {
    const firstBytes = new Set<number | undefined>();
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (data) => {
        firstBytes.add(data[0]);
        socket.destroy();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const host = `127.0.0.1:${portOf(server)}`;
    const forms = [`rediss://:s3cret@${host}`, `rediss-sentinel://${host}/m`, `rediss-cluster://${host}`];
    const errors = await Promise.all(
      modules.flatMap(({ load }) => forms.map((url) => failure(openRedis(parseRedisAddress(url), load)))),
    );
    for (const error of errors) expect(error).toMatchObject({ code: 'ENGINE', retryable: true });
    await closed(server);
    // What a handshake begins with.
    expect([...firstBytes]).toEqual([0x16]);
  });

  test.concurrent('rejects for a server that accepts and says nothing', async () => {
    const server = createServer((socket) => socket.on('error', () => undefined).resume()).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const port = portOf(server);
    const errors = await Promise.all(
      modules.map(({ load }) => failure(openRedis(parseRedisAddress(`redis://127.0.0.1:${port}`), load))),
    );
    for (const error of errors) expect(error).toMatchObject({ code: 'ENGINE', retryable: true });
    await waitFor('no client is connected', async () => (await connectionsOf(server)) === 0);
    await closed(server);
  });
});

/** Commands and messages work. */
async function usable(driver: Awaited<ReturnType<typeof openRedis>>): Promise<void> {
  expect(await driver.send('key', ['ECHO', 'yes'])).toBe('yes');
  const ear = await listen(driver);
  await ear.subscribe('shard', 'key');
  await driver.send('key', ['SPUBLISH', 'key', 'news']);
  await waitFor('the news is heard', () => ear.heard.length === 1);
  await ear.close();
}

async function failure(opening: Promise<unknown>): Promise<Error> {
  return opening.then(
    () => {
      throw new Error('It was opened.');
    },
    (error: unknown) => error as Error,
  );
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('It does not listen.');
  return address.port;
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}

async function closed(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}
