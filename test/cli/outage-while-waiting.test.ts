import { expect, test, vi } from 'vitest';
import { acquire } from '../../src/cli/commands/run/acquisition.ts';
import { EngineError } from '../../src/index.ts';
import { redis } from '../../src/engines/redis/index.ts';
import { Redis } from 'ioredis';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../fixtures/redis/redis-server.ts';

/** Far longer than the test may take: who goes on asking for a whole lease fails it. */
const LEASE_MS = 600_000;
/** Far longer than the time to wait, so that a busy machine cannot take the one for the other. */
const COMMAND_TIMEOUT_MS = 20_000;

vi.setConfig({ testTimeout: 60_000 });

describeRedis('a store that falls silent while the command line waits', () => {
  test('is an error when the time to wait is over, and no contention', async () => {
    await using server = await startRedisServer();
    const client = new Redis({ port: server.port, host: '127.0.0.1' });
    client.on('error', () => undefined);
    const locks = redis({ client, commandTimeoutMs: 200 });
    // The lease of another holder ends while the store is silent: the waiter asks again, and is not answered.
    await server.command(
      'EVAL',
      "redis.call('hset', KEYS[1], 'x', 1); redis.call('pexpire', KEYS[1], 300)",
      1,
      'a',
    );
    const waiting = acquire({
      locks,
      wanted: { kind: 'lock', names: ['a'] } as never,
      waitLimit: { kind: 'at-most', ms: 3000 },
      signal: new AbortController().signal,
      contended: () => void server.pause(),
      trouble: () => undefined,
      silenceMs: LEASE_MS,
      openQueue: async () => undefined,
    });
    const error = await waiting.catch((reason: unknown) => reason);
    server.resume();
    expect(error).toBeInstanceOf(EngineError);
    expect(error).toMatchObject({ code: 'ENGINE', retryable: true, resource: 'lock "a"' });
    await locks.close();
    client.disconnect();
  });

  test('ends the first attempt with the time to wait, however long a command may take', async () => {
    await using server = await startRedisServer();
    const client = new Redis({ port: server.port, host: '127.0.0.1' });
    client.on('error', () => undefined);
    const locks = redis({ client, commandTimeoutMs: COMMAND_TIMEOUT_MS });
    await locks.lock('warm').run(() => undefined);
    await server.pause();
    const startedAt = performance.now();
    const error = await acquire({
      locks,
      wanted: { kind: 'lock', names: ['a'] } as never,
      waitLimit: { kind: 'at-most', ms: 300 },
      signal: new AbortController().signal,
      contended: () => undefined,
      trouble: () => undefined,
      silenceMs: LEASE_MS,
      openQueue: async () => undefined,
    }).catch((reason: unknown) => reason);
    const elapsedMs = performance.now() - startedAt;
    server.resume();
    expect(error).toBeInstanceOf(EngineError);
    expect(error).toMatchObject({ code: 'ENGINE', retryable: true, resource: 'lock "a"', engine: 'redis' });
    // By itself a single attempt ends after twice the time-out of a command.
    expect(elapsedMs).toBeLessThan(COMMAND_TIMEOUT_MS);
    await locks.close();
    client.disconnect();
  });
});
