import { expect, test } from 'vitest';
import { Client } from '../../../src/core/client.ts';
import type { RedisDriver, Reply } from '../../../src/engines/redis/driver.ts';
import { Scripts } from '../../../src/engines/redis/requests/scripts.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

const COMMAND_TIMEOUT_MS = 1000;
const HOUR_MS = 3_600_000;

/** Scripts over a client whose server, connections and answers the test makes. */
function opened(clock: VirtualClock) {
  const server = {
    /** How far the server's clock is ahead of ours. */
    aheadMs: 0,
    reconnect: (): void => undefined,
    sent: 0,
    answer: (): Promise<Reply> => Promise.resolve(server.replyOf('ok')),
    replyOf: (word: string): Reply => [word, String(clock.epochNow() + server.aheadMs)],
  };
  const driver: Partial<RedisDriver> = {
    topology: 'single',
    nodeOf: () => 'node',
    isUp: () => true,
    connectionsMade: 1,
    onReconnect: (heard) => {
      server.reconnect = heard;
      return () => undefined;
    },
    onError: () => () => undefined,
    send: (_key, command) => {
      if (command[0] === 'COUNT' || command[1] === 'COUNT') {
        server.sent++;
        return server.answer();
      }
      return Promise.resolve([String(clock.epochNow() + server.aheadMs)]);
    },
  };
  const random = { id: () => 'c'.repeat(32), fraction: () => 0.5 };
  const client = new Client({ label: 'redis', clock, random, renewalLeaseMs: 30_000, maxHoldMs: Infinity });
  const scripts = new Scripts({
    client,
    driver: driver as RedisDriver,
    commandTimeoutMs: COMMAND_TIMEOUT_MS,
    confirming: undefined,
  });
  const limitsMs: number[] = [];
  const countDown = () =>
    scripts.runLimited({
      kind: 'latch',
      name: 'gate',
      key: 'gate',
      prepare: (notAfterMs) => {
        limitsMs.push(notAfterMs);
        return { source: 'COUNT', command: ['COUNT'], expandReply: undefined };
      },
    });
  return { server, scripts, countDown, limitsMs };
}

const unknownOutcome = {
  code: 'ENGINE',
  retryable: true,
  message: expect.stringMatching(
    /^latch "gate": .*whether an earlier copy of it was carried out is not known/,
  ),
};

test('after a reconnect the limit is of the new server’s clock, which may be behind the old one (soundness 3)', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { server, scripts, countDown, limitsMs } = opened(clock);
    server.aheadMs = HOUR_MS;
    await countDown();
    server.aheadMs = 0;
    server.reconnect();
    await countDown();
    expect(limitsMs[0]! - clock.epochNow()).toBeGreaterThan(HOUR_MS);
    expect(limitsMs[1]! - clock.epochNow()).toBeLessThanOrEqual(2 * COMMAND_TIMEOUT_MS);
    scripts.close();
  });
});

test('a request that is always late is sent five times, and then says that nothing was done', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { server, scripts, countDown } = opened(clock);
    // Without the bound the client would ask at the pace of the answers, without end: the test ends at ten.
    server.answer = () => Promise.resolve(server.replyOf(server.sent < 10 ? 'late' : 'ok'));
    await expect(countDown()).rejects.toMatchObject({
      code: 'ENGINE',
      message: expect.stringMatching(/^latch "gate": .*nothing was done/),
    });
    expect(server.sent).toBe(5);
    scripts.close();
  });
});

// ioredis sends again by itself what was in flight: the server may have carried out the first copy, whose reply was lost, and calls
// the second one late.
test.for([
  ['the first command', 'COUNT'],
  ['the source, of which the server did not know the digest', 'NOSCRIPT'],
] as const)('a late answer to %s is no proof after a reconnect (soundness 3)', async ([, first]) => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { server, scripts, countDown } = opened(clock);
    server.answer = () => {
      if (first === 'NOSCRIPT' && server.sent === 1)
        return Promise.reject(new Error('NOSCRIPT No matching script.'));
      server.reconnect();
      return Promise.resolve(server.replyOf('late'));
    };
    const sent = first === 'NOSCRIPT' ? 2 : 1;
    await expect(countDown()).rejects.toMatchObject(unknownOutcome);
    expect(server.sent).toBe(sent);
    scripts.close();
  });
});
