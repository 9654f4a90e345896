import { expect, test } from 'vitest';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisSentinel } from '../../fixtures/redis/redis-sentinel.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { clientKinds } from './client-kinds.ts';
import { hears, listen, openDriver, started, writes } from './driver-bench.ts';

const modes = ['channel', 'pattern', 'shard'] as const;

describeRedis('a failover by sentinels', () => {
  test.each(['killed', 'frozen'] as const)(
    'of a master that was %s is followed by every client',
    { timeout: 60_000 },
    async (fate) => {
      const topology = await started(startRedisSentinel({ replicas: 1, downAfterMs: 300 }));
      const old = await topology.masterServer();
      const ports = topology.sentinels.map(({ port }) => port);
      const parties = await Promise.all(
        clientKinds.map(async (kind) => {
          const { driver } = await openDriver({ user: () => kind.sentinel(ports, topology.masterName) });
          const ear = await listen(driver);
          for (const mode of modes) await ear.subscribe(mode, 'news');
          expect(await driver.send('key', ['SET', 'key', '1'])).toBe('OK');
          expect(driver.nodeOf('key')).toBe(`127.0.0.1:${old.port}`);
          return { name: kind.name, driver, ear };
        }),
      );
      await (fate === 'killed' ? old.kill() : old.pause());
      const master = await topology.waitForNewMaster(old);
      for (const { name, driver, ear } of parties) {
        await waitFor(`${name} writes to the new master`, () => writes(driver, 'key'), 20_000);
        await waitFor(`${name} tells of the gap`, () => ear.gaps > 0, 20_000);
        expect(driver.nodeOf('key')).toBe(`127.0.0.1:${master.port}`);
      }
      const publish = async (word: string): Promise<void> => {
        for (const command of ['PUBLISH', 'SPUBLISH']) await master.command(command, 'news', word);
      };
      for (const { name, ear } of parties)
        await waitFor(`${name} hears by all of ${modes.join(', ')}`, () => hears(ear, modes.length, publish));
    },
  );
});
