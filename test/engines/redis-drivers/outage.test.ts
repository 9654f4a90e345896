import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { type Ear, listen, type OpenDriver, openDriver, started } from './driver-bench.ts';
import { clientKinds, plainKinds } from './client-kinds.ts';

const modes = ['channel', 'pattern', 'shard'] as const;

/** An unhandled rejection or error event would fail the run by itself. */
describeRedis('a server that dies and comes back', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterAll(() => server.stop());

  test('is found again by every client', { timeout: 30_000 }, async () => {
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

describeRedis('a server that dies', { timeout: 30_000 }, () => {
  test.each(clientKinds)('has no reply for a command that is given to another: $name', async (kind) => {
    const server = await started(startRedisServer());
    const wrong: unknown[] = [];
    for (let round = 0; round < 4; round += 1) {
      let sendOne = (): void => undefined;
      // Those who learn of the end at the same moment as the client, and some of them before it. It takes their commands
      // although there is no connection any more, and has to give them back.
      const witnesses = (): Promise<void[]> =>
        Promise.all(Array.from({ length: 30 }, () => witness(server.port, () => sendOne())));
      await witnesses();
      const { driver } = await openDriver({ user: () => kind.single(server.port) });
      await witnesses();
      sendOne = () => {
        const word = randomUUID();
        const check = (reply: unknown): void => {
          if (reply !== word) wrong.push(reply);
        };
        const sent = driver.send('key', ['EVAL', 'return ARGV[1]', '1', 'key', word]);
        sent.then(check, (error: Error) => /^[A-Z]{3,} /.test(error.message) && wrong.push(error));
      };
      await driver.send('key', ['PING']);
      await server.kill();
      await server.restart();
      await waitFor(
        'it works again',
        async () => (await inTime(driver.send('key', ['ECHO', 'on']))) === 'on',
      );
      expect(wrong).toEqual([]);
    }
  });
});

describeRedis('a server that forbids a channel', () => {
  test.each(plainKinds)('does not hide the gap of the others: $name', async (kind) => {
    const server = await started(startRedisServer());
    const { driver } = await openDriver({ user: () => kind.single(server.port) });
    const ear = await listen(driver);
    await ear.subscribe('channel', 'allowed');
    await ear.subscribe('channel', 'forbidden');
    await server.command('ACL', 'SETUSER', 'default', 'resetchannels', '&allowed');
    await waitFor('the gap is reported', () => ear.gaps > 0);
    await server.command('PUBLISH', 'allowed', 'news');
    await waitFor('it is heard', () => ear.heard.length > 0);
    await expect(ear.subscribe('channel', 'forbidden too')).rejects.toThrow(/^NOPERM/);
    await server.command('ACL', 'SETUSER', 'default', 'allchannels');
    const before = ear.gaps;
    await waitFor('the gap of the other is reported', () => ear.gaps > before);
    await server.command('PUBLISH', 'forbidden', 'no more');
    await waitFor('it is heard', () => ear.heard.some(([source]) => source === 'forbidden'));
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

/** A connection of its own, and what to do when it ends. */
async function witness(port: number, ended: () => void): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => undefined).on('close', ended);
}

/** Some clients leave a command without any answer when they are stuck. */
async function inTime<T>(reply: Promise<T>): Promise<T | 'late'> {
  const deadline = new AbortController();
  const late = sleep(2_000, 'late' as const, { signal: deadline.signal });
  late.catch(() => undefined);
  return Promise.race([reply, late]).finally(() => deadline.abort());
}
