import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keySlot } from '../fixtures/redis/key-slot.ts';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { startRedisCluster } from '../fixtures/redis/redis-cluster.ts';
import { startRedisReplication } from '../fixtures/redis/redis-replication.ts';
import { startRedisSentinel } from '../fixtures/redis/redis-sentinel.ts';
import { type RedisServer, startRedisServer } from '../fixtures/redis/redis-server.ts';
import { RespConnection } from '../fixtures/redis/resp-connection.ts';
import { startTcpProxy } from '../fixtures/network/tcp-proxy.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { setWarden } from '../fixtures/processes/warden.ts';

describeRedis('a Redis server', () => {
  test('answers, and leaves neither a process nor a directory behind', async () => {
    await using server = await startRedisServer();
    await expect(server.command('PING')).resolves.toBe('PONG');
    await expect(server.info('server')).resolves.toMatchObject({ process_id: String(server.pid) });
    expect(existsSync(server.dir)).toBe(true);

    await server.stop();

    expectGone(server);
  });

  test('comes back on its port with what it has written, or empty', async () => {
    await using server = await startRedisServer({ args: { appendonly: 'yes' } });
    await server.command('SET', 'key', 'value');
    const pid = server.pid;
    await server.kill();
    await server.restart();
    expect(server.pid).not.toBe(pid);
    await expect(server.command('GET', 'key')).resolves.toBe('value');

    await server.restart({ empty: true });

    await expect(server.command('GET', 'key')).resolves.toBeNull();
  });

  test('stands still between pause and resume', async () => {
    await using server = await startRedisServer();
    using impatient = await server.connect({ deadlineMs: 100 });
    await server.pause();
    await expect(impatient.command('PING')).rejects.toThrow('No reply within 100 ms: PING');
    expect(impatient.isOpen).toBe(false);

    server.resume();

    await expect(server.command('PING')).resolves.toBe('PONG');
  });

  test('is asked for bytes, arrays and errors', async () => {
    await using server = await startRedisServer();
    using bytes = await server.connect({ bulkAs: 'bytes' });
    const value = Buffer.from([0, 255, 13, 10, 36]);
    await bytes.command('SET', 'key', value);

    await expect(bytes.command('MGET', 'key', 'none')).resolves.toEqual([value, null]);
    await expect(server.command('STRLEN', 'key')).resolves.toBe(5);
    await expect(server.command('LPUSH', 'key', 1)).rejects.toThrow('WRONGTYPE');
    await server.command('MULTI');
    await server.command('LPUSH', 'key', 1);
    await expect(server.command('EXEC')).resolves.toEqual([expect.objectContaining({ name: 'Error' })]);
  });

  test('is listened to by channel, pattern and shard channel', async () => {
    await using server = await startRedisServer();
    using heard = await server.subscribe({ channel: 'a' }, { pattern: 'b*' }, { shardChannel: 'c' });
    await expect(heard.next(1)).rejects.toThrow('No further message within 1 ms.');
    await server.command('PUBLISH', 'a', 'one');
    await server.command('PUBLISH', 'bb', 'two');
    await server.command('SPUBLISH', 'c', 'three');

    await expect(heard.next()).resolves.toEqual({ channel: 'a', payload: 'one' });
    await expect(heard.next()).resolves.toEqual({ channel: 'bb', payload: 'two', pattern: 'b*' });
    await expect(heard.next()).resolves.toEqual({ channel: 'c', payload: 'three' });
  });
});

describeRedis('a proxy', () => {
  test('passes on what it gets, and counts', async () => {
    await using server = await startRedisServer();
    await using proxy = await startTcpProxy(server);
    const client = await RespConnection.open(proxy);
    const value = Buffer.alloc(1_000_000, 7);
    await client.command('SET', 'key', value);
    await expect(client.command('STRLEN', 'key')).resolves.toBe(value.length);
    expect(proxy).toMatchObject({ accepted: 1, open: 1 });
    expect(proxy.toServer.bytes).toBeGreaterThan(value.length);
    expect(proxy.toClient.bytes).toBeGreaterThan(0);

    client.close();

    await waitFor('the end was passed on', () => proxy.open === 0);
    await waitFor('the server has noticed', async () => {
      return (
        String(await server.command('CLIENT', 'LIST'))
          .trim()
          .split('\n').length === 1
      );
    });
  });

  test.each([2, 3])('loses the reply to one request and no other, in RESP%i', async (version) => {
    await using server = await startRedisServer();
    await using proxy = await startTcpProxy(server);
    using client = await RespConnection.open(proxy);
    await client.command('HELLO', version);
    await client.command('SUBSCRIBE', 'channel');
    await client.command('UNSUBSCRIBE', 'channel');
    const lost = proxy.loseReplyTo('doomed');
    const replies = await Promise.allSettled([
      client.command('INCR', 'before'),
      client.command('INCR', 'doomed'),
      client.command('INCR', 'behind'),
    ]);
    await lost;

    expect(replies).toMatchObject([{ value: 1 }, { status: 'rejected' }, { status: 'rejected' }]);
    await expect(server.command('GET', 'doomed')).resolves.toBe('1');
    expect(proxy.repliesLost).toBe(1);
    using another = await RespConnection.open(proxy);
    await expect(another.command('INCR', 'doomed')).resolves.toBe(2);
  });

  test('drops whichever reply comes next', async () => {
    await using server = await startRedisServer();
    await using proxy = await startTcpProxy(server);
    using client = await RespConnection.open(proxy);
    const lost = proxy.dropNextReply();
    await expect(client.command('INCR', 'key')).rejects.toThrow(/ECONNRESET|closed/);
    await lost;

    await expect(server.command('GET', 'key')).resolves.toBe('1');
  });

  test('holds back what it delivers after healing', async () => {
    await using server = await startRedisServer();
    await using proxy = await startTcpProxy(server);
    using client = await RespConnection.open(proxy);
    proxy.toClient.hold();
    const reply = client.command('INCR', 'key');
    await waitFor('the server has it', async () => (await server.command('GET', 'key')) === '1');

    await proxy.heal();

    await expect(reply).resolves.toBe(1);
  });

  test('delays', async () => {
    await using server = await startRedisServer();
    await using proxy = await startTcpProxy(server);
    using client = await RespConnection.open(proxy);
    proxy.toServer.delayMs = 30;
    proxy.toClient.delayMs = 30;
    const start = performance.now();
    await expect(
      Promise.all([client.command('INCR', 'key'), client.command('INCR', 'key')]),
    ).resolves.toEqual([1, 2]);

    expect(performance.now() - start).toBeGreaterThanOrEqual(59);
  });

  test('swallows everything, and resets what has lost something when it heals', async () => {
    await using server = await startRedisServer();
    await using proxy = await startTcpProxy(server);
    using client = await RespConnection.open({ port: proxy.port, deadlineMs: 50 });
    using patient = await RespConnection.open(proxy);
    proxy.blackHole();
    await expect(client.command('INCR', 'key')).rejects.toThrow('No reply within 50 ms');
    const bytes = proxy.toServer.bytes;
    const outcome = patient.command('INCR', 'key').catch(String);
    await waitFor('it has arrived here', () => proxy.toServer.bytes > bytes);
    using late = await RespConnection.open(proxy);

    await proxy.heal();

    await expect(outcome).resolves.toMatch(/ECONNRESET|closed/);
    await expect(late.command('GET', 'key')).resolves.toBeNull();
  });

  test('resets, refuses and accepts again', async () => {
    await using server = await startRedisServer();
    await using proxy = await startTcpProxy(server);
    using client = await RespConnection.open(proxy);
    proxy.refuse();
    await expect(RespConnection.open(proxy)).rejects.toThrow('ECONNREFUSED');
    await expect(client.command('PING')).resolves.toBe('PONG');
    const outcome = client.command('BLPOP', 'none', 0).catch(String);
    proxy.reset();
    await expect(outcome).resolves.toMatch('ECONNRESET');

    await proxy.accept();

    using another = await RespConnection.open(proxy);
    await expect(another.command('PING')).resolves.toBe('PONG');
  });
});

test('a warden ends the server and removes the directory of a process that has died', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-warden-'));
  const [kept, doomed] = [spawn('sleep', ['60']), spawn('sleep', ['60'])];
  setWarden(kept.pid!).release();

  setWarden(doomed.pid!, dir).abandon();

  await once(doomed, 'exit');

  await waitFor('the directory is gone', () => !existsSync(dir));
  expect(kept.exitCode).toBeNull();
  kept.kill('SIGKILL');
});

describeRedis('Redis topologies', () => {
  test('a cut replica never gets what was written after the cut', async () => {
    await using replication = await startRedisReplication();
    const { master, replicas } = replication;
    const [cut, kept] = replicas as [RedisServer, RedisServer];
    await expect(master.command('WAIT', 2, 0)).resolves.toBe(2);

    await replication.cutReplicas(cut);
    await master.command('SET', 'key', 'value');
    await expect(master.command('WAIT', 1, 5000)).resolves.toBe(1);
    await master.kill();
    replication.joinReplicas(cut);

    await expect(cut.command('GET', 'key')).resolves.toBeNull();
    await expect(kept.command('GET', 'key')).resolves.toBe('value');
    await replication.stop();
    expectGone(...replication.servers);
  });

  test('Sentinels replace a master that was killed', async () => {
    await using topology = await startRedisSentinel();
    expect(topology.url).toMatch(/^redis-sentinel:\/\/(127\.0\.0\.1:\d+,?){3}\/holdfast$/);
    const old = await topology.masterServer();
    expect(old).toBe(topology.replication.master);

    await old.kill();
    const next = await topology.waitForNewMaster(old);

    await expect(next.command('SET', 'key', 'value')).resolves.toBe('OK');
    await expect(topology.masterServer()).resolves.toBe(next);
    await topology.stop();
    expectGone(...topology.servers, ...topology.sentinels);
  });

  test('a cluster has all slots, fails over and moves a slot', async () => {
    await using cluster = await startRedisCluster();
    const master = await cluster.masterOf('key');
    for (const key of ['key', '{key}1', 'a{key}b{c}', '{}{key}', 'a{b{c}d}', '}{key}', 'ключ'])
      await expect(master.command('CLUSTER', 'KEYSLOT', key)).resolves.toBe(keySlot(key));
    await master.command('SET', 'key', 'value');

    const next = await cluster.failover(master);
    await expect(cluster.masterOf('key')).resolves.toBe(next);
    await expect(cluster.replicaOf(next)).resolves.toBe(master);

    const target = cluster.nodes.slice(0, 3).find((node) => node !== master)!;
    await cluster.migrateSlot('key', target);
    await expect(cluster.masterOf('key')).resolves.toBe(target);
    await expect(target.command('GET', 'key')).resolves.toBe('value');
    await cluster.stop();
    expectGone(...cluster.nodes);
  });
});

function expectGone(...servers: readonly RedisServer[]): void {
  for (const { pid, dir } of servers) {
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(existsSync(dir)).toBe(false);
  }
}
