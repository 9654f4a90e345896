import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLocks } from '../../faults/redis/open-locks.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { describeJava } from '../java-build.ts';
import { Redisson, type RedissonThread, type RedissonVersion } from './redisson.ts';

const VERSIONS: readonly RedissonVersion[] = ['redisson-4', 'redisson-3'];
/** A fifth of the five minutes that Java gives a waiter, and several times what it takes to notice that it is gone. */
const SOON_MS = 60_000;

type End = (java: Redisson, thread: RedissonThread, name: string) => Promise<unknown>;

/** How a Java thread stops waiting, none of which takes its place out of the line. */
const ENDS: Readonly<Record<string, End>> = {
  'was interrupted': (_java, thread) => thread.interrupt(),
  'has shut its client down': (java) => java.thread(1).task('shutdown'),
  'was killed': (java) => java.kill(),
  'has cancelled its future': (_java, thread, name) => thread.task('cancel', { name }),
};

describeJava.concurrent(
  'a waiter in Node behind one in Java that no longer waits',
  { timeout: 120_000 },
  () => {
    let server: RedisServer;
    beforeAll(async () => {
      server = await startRedisServer();
    });
    afterAll(() => server?.stop());

    const cases = VERSIONS.flatMap((version) => Object.keys(ENDS).map((end) => ({ version, end })));
    test.for(cases)('$version: one that $end is passed over soon', async ({ version, end }) => {
      const name = `${version} ${end}`;
      const place = { port: server.port };
      const inLine = async () => Number(await server.command('LLEN', `redisson_lock_queue:{${name}}`));
      await using locks = await openLocks('node-redis', place);
      await using other = await openLocks('ioredis', place);
      await using java = await Redisson.start(version, place, [{}, {}]);
      const hold = await locks.fairLock(name).acquire();
      const thread = java.thread(1);
      const waiting =
        end === 'has cancelled its future'
          ? thread.task('begin', { name })
          : thread.call('fairLock', name, 'lockInterruptibly');
      waiting.catch(() => undefined);
      await waitFor('Java stands in line', async () => (await inLine()) === 1);
      // One that is interrupted while it only begins to listen goes on listening for no client.
      const channel = `redisson_lock__channel:{${name}}:*`;
      await waitFor('and listens', async () => {
        const listens = ((await server.command('PUBSUB', 'CHANNELS', channel)) as unknown[]).length > 0;
        return listens && (end === 'has cancelled its future' || thread.isParked());
      });
      const acquiring = other.fairLock(name).acquire({ timeoutMs: SOON_MS });
      await waitFor('Node stands behind it', async () => (await inLine()) === 2);
      await ENDS[end]!(java, thread, name);
      expect(await inLine()).toBe(2);
      await hold.release();
      const second = await acquiring;
      expect(second.lost.aborted).toBe(false);
      await second.release();
    });
  },
);
