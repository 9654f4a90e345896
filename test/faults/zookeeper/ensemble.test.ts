import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEnsemble, type ZooKeeperEnsemble } from '../../fixtures/zookeeper/zookeeper-ensemble.ts';
import { describeZooKeeper } from '../../fixtures/zookeeper/zookeeper-jars.ts';
import type { ZooKeeperServer } from '../../fixtures/zookeeper/zookeeper-server.ts';
import { FencedRegister } from './fenced-register.ts';
import { openProxied, type ProxiedLocks } from './proxied-locks.ts';
import { Workers } from './workers.ts';

interface Outcome {
  /** Holders that believed in their hold while another one was in. */
  readonly overlaps: readonly string[];
  /** Accepted writes that are not in the number. */
  readonly lost: number;
}

const flawless: Outcome = { overlaps: [], lost: 0 };

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
  async function workThrough(name: string, fault: () => Promise<() => Promise<void>>): Promise<Outcome> {
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
    return { overlaps: workers.overlaps, lost: register.accepted - register.value };
  }

  test('its leader is killed', async () => {
    const outcome = await workThrough('/leader-killed', async () => {
      const leader = await ensemble.leader();
      await leader.kill();
      return () => leader.restart();
    });
    expect(outcome).toEqual(flawless);
  });

  test('its leader stands still', async () => {
    const outcome = await workThrough('/leader-frozen', async () => {
      const leader = await ensemble.leader();
      await leader.pause();
      return async () => {
        leader.resume();
        await leader.waitReady();
      };
    });
    expect(outcome).toEqual(flawless);
  });

  test('a follower is killed', async () => {
    const outcome = await workThrough('/follower-killed', async () => {
      const follower = await ensemble.follower();
      await follower.kill();
      return () => follower.restart();
    });
    expect(outcome).toEqual(flawless);
  });

  test('a follower is cut off from the others, and its clients reach it', async () => {
    const outcome = await workThrough('/minority', async () => {
      const follower = await ensemble.follower();
      ensemble.cutOff(follower);
      return async () => {
        await ensemble.heal(follower);
        await follower.waitReady();
      };
    });
    expect(outcome).toEqual(flawless);
  });

  test('the leader is cut off from the others, and its clients reach it', async () => {
    const outcome = await workThrough('/minority-leader', async () => {
      const leader = await ensemble.leader();
      ensemble.disconnect(leader);
      return async () => {
        await ensemble.heal(leader);
        await leader.waitReady();
      };
    });
    expect(outcome).toEqual(flawless);
  });
});
