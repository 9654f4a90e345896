import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEnsemble, type ZooKeeperEnsemble } from '../../fixtures/zookeeper/zookeeper-ensemble.ts';
import { describeZooKeeper } from '../../fixtures/zookeeper/zookeeper-jars.ts';
import type { ZooKeeperServer } from '../../fixtures/zookeeper/zookeeper-server.ts';
import { FencedRegister } from './fenced-register.ts';
import { openProxied, type ProxiedLocks } from './proxied-locks.ts';
import { Workers } from './workers.ts';

describeZooKeeper('an ensemble under load', { timeout: 120_000 }, () => {
  let ensemble: ZooKeeperEnsemble;
  beforeAll(async () => {
    ensemble = await startEnsemble();
  }, 60_000);
  afterAll(() => ensemble?.stop());

  /** A client whose first server is this one, and that knows the others. */
  function openAt(server: ZooKeeperServer): Promise<ProxiedLocks> {
    return openProxied([server, ...ensemble.servers.filter((each) => each !== server)]);
  }

  /**
   * Workers at every server while the fault is on and after it: no write of a holder that was overtaken is accepted, no holder
   * believes in its hold when the next one is in, and every worker goes on.
   */
  async function survives(name: string, fault: () => Promise<() => Promise<void>>): Promise<void> {
    const register = new FencedRegister();
    const clients = await Promise.all(ensemble.servers.map(openAt));
    const workers = new Workers(clients, name, register);
    try {
      await workers.workOn();
      const mend = await fault();
      try {
        await workers.workOn();
      } finally {
        await mend();
      }
      await workers.workOn();
    } finally {
      await workers.end();
      await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()));
    }
    expect(workers.overlaps).toEqual([]);
    expect(register.value).toBe(register.accepted);
  }

  test('its leader is killed', () =>
    survives('/leader-killed', async () => {
      const leader = await ensemble.leader();
      await leader.kill();
      return () => leader.restart();
    }));

  test('its leader stands still', () =>
    survives('/leader-frozen', async () => {
      const leader = await ensemble.leader();
      await leader.pause();
      return async () => {
        leader.resume();
        await leader.waitReady();
      };
    }));

  test('a follower is killed', () =>
    survives('/follower-killed', async () => {
      const follower = await ensemble.follower();
      await follower.kill();
      return () => follower.restart();
    }));

  test('a follower is cut off from the others, and its clients reach it', () =>
    survives('/minority', async () => {
      const follower = await ensemble.follower();
      ensemble.cutOff(follower);
      return async () => {
        await ensemble.heal(follower);
        await follower.waitReady();
      };
    }));

  test('the leader is cut off from the others, and its clients reach it', () =>
    survives('/minority-leader', async () => {
      const leader = await ensemble.leader();
      ensemble.disconnect(leader);
      return async () => {
        await ensemble.heal(leader);
        await leader.waitReady();
      };
    }));
});
