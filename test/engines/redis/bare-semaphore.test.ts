import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RedisSynchronizers } from '../../../src/engines/redis/index.ts';
import { semaphoreSuite, type Skip } from '../../../src/testing/index.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { clientKinds } from '../redis-drivers/client-kinds.ts';
import { BareHarness } from './bare-harness.ts';
import { oneByOne, sideBySide } from './side-by-side.ts';

const NO_OWNER = 'Redis keeps a number and no owner: what a crashed process has taken does not come back';

const skip: readonly Skip[] = [
  {
    reason: NO_OWNER,
    tests: [
      'with one permit: the crash of a holder frees it, at once or when its lease ends',
      'with one permit: the crash of a renewing holder frees it within its lease',
      'the permits of a client that crashed come back, and the others stay taken',
    ],
  },
  {
    reason: 'Redis keeps what is left and not how many there are',
    tests: ['another number of permits than the others use is refused'],
  },
];

describeRedis('a bare semaphore', () => {
  let server: RedisServer;
  const harness = new BareHarness(() => clientKinds[0]!.single(server.port));

  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterAll(async () => {
    await harness.bury();
    await server.stop();
  });

  semaphoreSuite({ ...sideBySide(describe, test), harness, skip });
  semaphoreSuite({ ...oneByOne(test), harness, skip });

  describe('is what its name says', () => {
    const open = (renewalLeaseMs: number) => harness.open({ renewalLeaseMs }) as Promise<RedisSynchronizers>;

    test('the permits of a process that crashed are gone until a person adds them', async () => {
      const dying = await open(200);
      await using locks = await open(200);
      await dying.bareSemaphore('crashed', { permits: 3 }).acquire({ permits: 2 });
      await harness.crash(dying);
      // Twice the lease of the dead, by the clock of a holder that lives.
      const clock = await locks.lock('crashed-clock').acquire({ leaseMs: 400 });
      await waitFor('two leases have passed', () => clock.lost.aborted);
      const pool = locks.bareSemaphore('crashed', { permits: 3 });
      expect(await pool.available()).toBe(1);
      expect(await pool.tryAcquire({ permits: 2 })).toBe(null);
      await server.command('INCRBY', 'crashed', 2);
      const all = await pool.acquire({ permits: 3, timeoutMs: 20_000 });
      await all.release();
    });

    test('the number that was set first counts, and another one is not noticed', async () => {
      await using locks = await open(30_000);
      await (await locks.bareSemaphore('numbered', { permits: 2 }).acquire()).release();
      const other = locks.bareSemaphore('numbered', { permits: 7 });
      expect(await other.available()).toBe(2);
      const both = await other.acquire({ permits: 2 });
      expect(await other.tryAcquire()).toBe(null);
      await both.release();
    });
  });
});
