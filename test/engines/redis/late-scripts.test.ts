import { expect, test } from 'vitest';
import { Client } from '../../../src/core/client.ts';
import type { RedisDriver, Reply } from '../../../src/engines/redis/driver.ts';
import { Scripts } from '../../../src/engines/redis/requests/scripts.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

/** A server that refuses what reaches it after its limit. Its replies come when the test lets them: no real one can be stopped between two replies. */
class LimitingServer {
  readonly sent: string[] = [];
  readonly #clock: VirtualClock;
  readonly #replies: (() => void)[] = [];
  #isHeldBack = false;
  /** How far the clock of the server jumps with each command. */
  jumpMs = 0;
  aheadMs = 0;
  node = 'node';

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  send([name = '', notAfter = '']: readonly string[]): Promise<Reply> {
    this.aheadMs += this.jumpMs;
    const nowMs = this.#clock.epochNow() + this.aheadMs;
    const isLate = name === 'COUNT' && nowMs > Number(notAfter);
    this.sent.push(name === 'COUNT' ? (isLate ? 'late' : 'done') : 'time');
    const reply = name === 'COUNT' ? [isLate ? 'late' : 'ok', String(nowMs)] : [String(nowMs)];
    return new Promise((resolve) => {
      if (this.#isHeldBack) this.#replies.push(() => resolve(reply));
      else resolve(reply);
    });
  }

  holdBack(): void {
    this.#isHeldBack = true;
  }

  /** Lets one reply go after the other, so many microtasks apart. */
  async letGo(microtasks = 0): Promise<void> {
    this.#isHeldBack = false;
    for (const reply of this.#replies.splice(0)) {
      reply();
      for (let passed = 0; passed < microtasks; passed++) await Promise.resolve();
    }
  }
}

function opened(clock: VirtualClock) {
  const server = new LimitingServer(clock);
  const random = { id: () => 'c'.repeat(32), fraction: () => 0.5 };
  const client = new Client({ label: 'redis', clock, random, renewalLeaseMs: 30_000, maxHoldMs: Infinity });
  const driver: Partial<RedisDriver> = {
    topology: 'sentinel',
    nodeOf: () => server.node,
    isUp: () => true,
    connectionsMade: 1,
    onReconnect: () => () => undefined,
    onError: () => () => undefined,
    send: (_key, command) => server.send(command),
  };
  const scripts = new Scripts({
    client,
    driver: driver as RedisDriver,
    commandTimeoutMs: 1000,
    confirming: undefined,
  });
  const countDown = (name: string): Promise<unknown> =>
    Promise.resolve(
      scripts.runLimited({
        kind: 'latch',
        name,
        key: name,
        prepare: (notAfterMs) => ({
          source: 'COUNT',
          command: ['COUNT', String(notAfterMs)],
          expandReply: undefined,
        }),
      }),
    ).then(
      ({ reply }) => reply[0],
      (error: unknown) => error,
    );
  return { server, scripts, countDown };
}

test('a client that has not connected yet learns the time of the server that answers', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { server, scripts, countDown } = opened(clock);
    server.node = 'unknown';
    server.holdBack();
    const done = countDown('gate');
    server.node = 'found';
    await server.letGo();
    expect(await done).toBe('ok');
    expect(server.sent).toEqual(['time', 'done']);
    scripts.close();
  });
});

test('of requests that are refused as late together, none makes another one late again', async () => {
  // Between the time that one has learned and its next copy lie some microtasks; the last refusal arrives at any of them.
  for (let microtasks = 0; microtasks < 30; microtasks++) {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const { server, scripts, countDown } = opened(clock);
      expect(await countDown('first')).toBe('ok');
      server.sent.length = 0;
      server.aheadMs = 60_000;
      server.holdBack();
      const all = ['alpha', 'beta', 'gamma'].map(countDown);
      await server.letGo(microtasks);
      expect(await Promise.all(all)).toEqual(['ok', 'ok', 'ok']);
      expect(server.sent.filter((one) => one !== 'time')).toEqual([
        ...Array<string>(3).fill('late'),
        ...Array<string>(3).fill('done'),
      ]);
      scripts.close();
    });
  }
});

test('a request whose only copy is refused as late again and again says that nothing was done', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { server, scripts, countDown } = opened(clock);
    server.jumpMs = 60_000;
    expect(await countDown('gate')).toMatchObject({
      code: 'ENGINE',
      retryable: true,
      message: expect.stringMatching(/^latch "gate": .*after its time was over; nothing was done/),
    });
    expect(server.sent.filter((one) => one === 'late')).toHaveLength(5);
    scripts.close();
  });
});
