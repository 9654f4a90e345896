import { expect, test } from 'vitest';
import { systemClock, systemRandom } from '../../../src/core/time/clock.ts';
import type { RedisDriver, Reply } from '../../../src/engines/redis/driver.ts';
import { driverFor } from '../../../src/engines/redis/drivers/recognise.ts';
import { openEngine } from '../../../src/engines/redis/open-engine.ts';
import type { Clock } from '../../../src/spi/clock.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { loadScripts } from '../../faults/redis/load-scripts.ts';
import { openClient } from '../../faults/redis/open-locks.ts';
import { calledBy, placeOf } from '../../model/script-sources.ts';

const COMMAND_TIMEOUT_MS = 3000;
const HOUR_MS = 3_600_000;
/** The slack of so long a silence is more than a tenth of the time-out, after which the client asks for the time. */
const LONG_MS = 300_000;

/** Shows the client another time than the server's, in both directions, and counts what the client asks for. */
class OtherTime {
  /** How far the clock that the client sees is ahead of the server's. */
  aheadMs = 0;
  questions = 0;
  /** How far ahead of the clock that the client sees each limit was. */
  readonly limitsMs: number[] = [];
  readonly driver: RedisDriver;

  constructor(inner: RedisDriver, server: RedisServer) {
    const send = async (key: string, command: readonly string[]): Promise<Reply> => {
      const script = calledBy(command);
      if (script === undefined) return inner.send(key, command);
      if (script.name === 'server-time') {
        this.questions++;
        const [nowMs] = (await inner.send(key, command)) as readonly Reply[];
        return [Number(nowMs) + this.aheadMs];
      }
      const limit = placeOf(script, command, 'notAfterMs');
      if (limit === -1) return inner.send(key, command);
      const words = [...command];
      const limitMs = Number(words[limit]) - this.aheadMs;
      words[limit] = String(limitMs);
      const [seconds, microseconds] = (await server.command('TIME')) as readonly string[];
      this.limitsMs.push(limitMs - (Number(seconds) * 1000 + Number(microseconds) / 1000));
      const reply = await inner.send(key, words);
      // One number is a fence that is the server's time in microseconds.
      if (typeof reply === 'number') return reply + this.aheadMs * 1000;
      return (reply as readonly Reply[]).with(1, Number((reply as readonly Reply[])[1]) + this.aheadMs);
    };
    this.driver = new Proxy(inner, {
      get: (target, name) => {
        if (name === 'send') return send;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }
}

describeRedis('a server whose clock was set back by an hour', () => {
  test('is asked for its time no more often than before, and no limit lies an hour ahead', async () => {
    await using server = await startRedisServer();
    await loadScripts(server);
    const user = await openClient('ioredis', server);
    const other = new OtherTime(driverFor(user.client), server);
    let passedMs = 0;
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + passedMs };
    const pass = (ms: number): void => {
      passedMs += ms;
      other.aheadMs += ms;
    };
    const locks = openEngine(
      other.driver,
      { commandTimeoutMs: COMMAND_TIMEOUT_MS },
      { clock, random: systemRandom },
    );
    await locks.lock('a').run(() => undefined);
    other.aheadMs -= HOUR_MS;
    // The first reply after the step tells of it.
    await locks.lock('a').run(() => undefined);
    other.limitsMs.length = 0;
    pass(LONG_MS);
    await locks.lock('a').run(() => undefined);
    const { questions } = other;
    for (let time = 0; time < 20; time++) await locks.lock('a').run(() => undefined);
    expect(other.questions - questions).toBe(0);
    expect(Math.max(...other.limitsMs)).toBeLessThan(3 * COMMAND_TIMEOUT_MS);
    expect(other.limitsMs).toHaveLength(21);
    await locks.close();
    await user.close();
  });
});
