import { expect, test } from 'vitest';
import type { RedisSynchronizers } from '../../../src/engines/redis/index.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { CLIENT_NAMES, openLocks } from './open-locks.ts';

/** Half of the time that a process yields for. Where more has passed, nothing was shown. */
const IN_TIME_MS = 10;
const MOST_TRIES = 50;

const channelOf = (name: string) => `redisson_lock__channel:{${name}}`;

describeRedis('a process that hears its own release', () => {
  test.each(CLIENT_NAMES)('%s: goes on yielding to the others who heard it', async (client) => {
    await using server = await startRedisServer();
    await using ours = await openLocks(client, server);
    await using others = await openLocks(client, server);
    const cameIn: string[] = [];
    for (let at = 0; at < MOST_TRIES && cameIn.length === 0; at += 1) {
      const { who, tookMs } = await whoComesIn(server, `door ${at}`, ours, others);
      if (tookMs < IN_TIME_MS) cameIn.push(who);
    }
    expect(cameIn).toEqual(['others']);
  });
});

/** Ours gives the lock back and wants it again at once; others come once ours has heard its own message. */
async function whoComesIn(
  server: RedisServer,
  name: string,
  ours: RedisSynchronizers,
  others: RedisSynchronizers,
): Promise<{ readonly who: string; readonly tookMs: number }> {
  const sleeper = `${name}, its sleeper`;
  using waiter = await server.subscribe({ channel: channelOf(name) });
  const theirs = await others.lock(name).acquire();
  const silence = await others.lock(sleeper).acquire();
  const entering = ours.lock(name).acquire();
  const ringing = ours.lock(sleeper).acquire();
  await waitFor('ours listens to both', async () => (await receivers(server, name, sleeper)) === '2 1');
  await theirs.release();
  await waiter.next();
  const hold = await entering;

  const releasedAt = performance.now();
  await hold.release();
  const again = ours.lock(name).acquire();
  // Messages come in the order in which they were sent: who hears the sleeper has heard what it had said before.
  await silence.release();
  const rung = await ringing;
  const found = await others.lock(name).tryAcquire();
  const tookMs = performance.now() - releasedAt;

  await found?.release();
  await rung.release();
  await (await again).release();
  return { who: found === null ? 'ours' : 'others', tookMs };
}

async function receivers(server: RedisServer, ...names: string[]): Promise<string> {
  const counted = (await server.command('PUBSUB', 'NUMSUB', ...names.map(channelOf))) as unknown[];
  return `${String(counted[1])} ${String(counted[3])}`;
}
