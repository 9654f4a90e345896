import { expect, test } from 'vitest';
import { Client } from '../../../src/core/client.ts';
import type { RedisDriver, Reply } from '../../../src/engines/redis/driver.ts';
import { Scripts } from '../../../src/engines/redis/requests/scripts.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

const commandTimeoutMs = 1000;
const FULL = "OOM command not allowed when used memory > 'maxmemory'.";

/**
 * A client that keeps commands until it has a connection, as node-redis and ioredis do. The server carries out as many
 * changes as there is room for, then it is full. No real server fills up exactly between two commands that a client sends
 * in the same moment.
 */
class OfflineQueue {
  readonly #clock: VirtualClock;
  readonly #kept: (() => void)[] = [];
  connectionsMade = 1;
  up = true;
  room: number;
  carriedOut = 0;

  constructor(clock: VirtualClock, room: number) {
    this.#clock = clock;
    this.room = room;
  }

  connect(): void {
    this.up = true;
    this.connectionsMade++;
    for (const send of this.#kept.splice(0)) send();
  }

  send(command: readonly string[]): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const send = (): void => {
        const nowMs = String(this.#clock.epochNow());
        if (command[0] !== 'COUNT') resolve([nowMs]);
        else if (this.carriedOut === this.room) reject(new Error(FULL));
        else {
          this.carriedOut++;
          resolve(['ok', nowMs]);
        }
      };
      if (this.up) send();
      else this.#kept.push(send);
    });
  }
}

function opened(clock: VirtualClock, room: number) {
  const queue = new OfflineQueue(clock, room);
  const random = { id: () => 'c'.repeat(32), fraction: () => 0.5 };
  const client = new Client({ label: 'redis', clock, random, renewalLeaseMs: 30_000, maxHoldMs: Infinity });
  const driver: Partial<RedisDriver> = {
    topology: 'single',
    nodeOf: () => 'node',
    isUp: () => queue.up,
    get connectionsMade() {
      return queue.connectionsMade;
    },
    onReconnect: () => () => undefined,
    onError: () => () => undefined,
    send: (_key, command) => queue.send(command),
  };
  const scripts = new Scripts({
    client,
    driver: driver as RedisDriver,
    commandTimeoutMs,
    confirming: undefined,
  });
  const countDown = () =>
    scripts.runLimited({
      kind: 'latch',
      name: 'gate',
      key: 'gate',
      prepare: () => ({ source: 'COUNT', command: ['COUNT'], expandReply: undefined }),
    });
  return { queue, client, scripts, countDown };
}

test('a copy that the client sends with the next connection leaves the outcome open (soundness 3)', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { queue, client, scripts, countDown } = opened(clock, 2);
    await countDown();
    queue.up = false;
    const refused = countDown().catch((error: unknown) => error);
    // Our time for the first copy is over, and the second one waits behind it.
    await client.sleep(commandTimeoutMs + 500);
    queue.connect();
    expect(await refused).toMatchObject({
      code: 'ENGINE',
      retryable: true,
      message: expect.stringMatching(/^latch "gate": .*whether it happened is not known/),
    });
    expect(queue.carriedOut).toBe(2);
    scripts.close();
  });
});

test('the refusal of a copy that alone waited for a connection stands', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { queue, client, scripts, countDown } = opened(clock, 1);
    await countDown();
    queue.up = false;
    const refused = countDown().catch((error: unknown) => error);
    await client.sleep(commandTimeoutMs / 2);
    queue.connect();
    expect(await refused).toMatchObject({
      code: 'ENGINE',
      message: expect.stringMatching(/^latch "gate": Redis is out of memory and takes nothing new/),
    });
    scripts.close();
  });
});
