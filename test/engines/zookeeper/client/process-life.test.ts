import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../../src/core/time/clock.ts';
import type { Clock } from '../../../../src/spi/clock.ts';
import { waitFor } from '../../../fixtures/wait-for.ts';
import { describeZooKeeper } from '../../../fixtures/zookeeper/zookeeper-jars.ts';
import { startZooKeeper, type ZooKeeperServer } from '../../../fixtures/zookeeper/zookeeper-server.ts';
import { openClient } from './open-client.ts';

/** The clock of the machine, and how many of its timers keep the process alive. */
class CountingClock implements Clock {
  readonly #living = new Set<object>();
  readonly now = (): number => systemClock.now();
  readonly epochNow = (): number => systemClock.epochNow();

  get living(): number {
    return this.#living.size;
  }

  timer(delayMs: number, call: () => void): ReturnType<Clock['timer']> {
    const key = {};
    const timer = systemClock.timer(delayMs, () => {
      this.#living.delete(key);
      call();
    });
    return {
      cancel: () => {
        this.#living.delete(key);
        timer.cancel();
      },
      keepsAlive: (yes) => {
        if (yes) this.#living.add(key);
        else this.#living.delete(key);
        timer.keepsAlive(yes);
      },
    };
  }
}

describeZooKeeper('what keeps the process alive', () => {
  let server: ZooKeeperServer;
  beforeAll(async () => {
    server = await startZooKeeper();
  });
  afterAll(() => server?.stop());

  test('a caller that waits, and neither the connection nor the heartbeat', async () => {
    const clock = new CountingClock();
    const sockets = activeSockets();
    const client = openClient(server.address, { clock, sessionMs: 6_000 });
    const ready = client.ready();
    expect(clock.living).toBe(1);
    await ready;
    expect(clock.living).toBe(0);
    expect(activeSockets()).toBe(sockets);
    const watched = client.exists('/nothing', () => undefined);
    expect(clock.living).toBe(1);
    await watched;
    expect(clock.living).toBe(0);
    await new Promise<void>((resolve) => {
      // A heartbeat has been proven: no timer of it kept the process.
      client.onStatus(() => resolve());
    });
    expect(clock.living).toBe(0);

    const closed = client.close();
    expect(clock.living).toBe(1);
    await closed;
    expect(clock.living).toBe(0);
    await waitFor('the connection is gone', () => activeSockets() === sockets);
  });
});

function activeSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
}
