import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/redis/wait-for.ts';
import { type Ear, listen, type OpenDriver, openDriver } from './driver-bench.ts';
import { clientKinds } from './client-kinds.ts';

const modes = ['channel', 'pattern', 'shard'] as const;

/** An unhandled rejection or error event would fail the run by itself. */
describeRedis('a server that dies and comes back', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterAll(() => server.stop());

  test('is found again by everybody', { timeout: 30_000 }, async () => {
    const parties: (OpenDriver & { readonly name: string; readonly ear: Ear; told: number })[] = [];
    for (const kind of clientKinds) {
      const open = await openDriver({ user: () => kind.single(server.port) });
      const ear = await listen(open.driver);
      for (const mode of modes) await ear.subscribe(mode, 'news');
      const party = { ...open, name: kind.name, ear, told: 0 };
      open.driver.onReconnect(() => {
        party.told += 1;
      });
      parties.push(party);
    }

    // What is under way when it dies may fail, succeed later or stay open: none of it may end the process.
    const underWay = parties.flatMap(({ driver, ear }) => [
      driver.send('key', ['PING']),
      driver.sendTogether('key', [['PING'], ['WAIT', '1', '50']]),
      driver.sendTogether('key', [['PING'], ['PING']]),
      ear.subscribe('channel', randomUUID()),
      ear.unsubscribe('channel', randomUUID()),
    ]);
    for (const each of underWay) each.catch(() => undefined);
    await server.kill();
    const meanwhile = parties.flatMap(({ driver, ear }) => [
      driver.send('key', ['PING']),
      driver.sendTogether('key', [['PING'], ['PING']]),
      ear.subscribe('shard', randomUUID()),
      driver.duplicate().then((twin) => twin.close()),
    ]);
    for (const each of meanwhile) each.catch(() => undefined);
    await server.restart();

    for (const { name, driver, ear } of parties) {
      await waitFor(`${name} tells of the gap`, () => ear.gaps > 0);
      await waitFor(`${name} works again`, async () => (await driver.send('key', ['PING'])) === 'PONG');
    }
    for (const { ear } of parties) ear.heard.length = 0;
    await server.command('PUBLISH', 'news', 'to all');
    await server.command('SPUBLISH', 'news', 'to the shard');
    for (const { name, ear } of parties)
      await waitFor(`${name} hears by all of ${modes.join(', ')}`, () => ear.heard.length >= modes.length);
    expect(parties.filter(({ told }) => told === 0)).toEqual([]);
  });
});

describeRedis('a server that is not there', () => {
  describe.each(clientKinds)('by $name', (kind) => {
    test('does not keep a driver from being closed', async () => {
      const server = await startRedisServer();
      const { driver, user } = await openDriver({ user: () => kind.single(server.port) });
      const ear = await listen(driver);
      await ear.subscribe('channel', 'news');
      await server.stop();
      const twin = driver.duplicate();
      twin.catch(() => undefined);
      const late = ear.subscribe('channel', 'late');
      late.catch(() => undefined);
      await ear.close();
      await driver.close();
      await expect(twin).rejects.toThrow(Error);
      await expect(late).rejects.toThrow(Error);
      await user.close();
    });
  });
});
