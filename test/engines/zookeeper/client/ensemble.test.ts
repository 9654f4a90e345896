import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ZooKeeperClient } from '../../../../src/engines/zookeeper/client/zookeeper-client.ts';
import { waitFor } from '../../../fixtures/wait-for.ts';
import { startEnsemble, type ZooKeeperEnsemble } from '../../../fixtures/zookeeper/zookeeper-ensemble.ts';
import { describeZooKeeper } from '../../../fixtures/zookeeper/zookeeper-jars.ts';
import type { ZooKeeperServer } from '../../../fixtures/zookeeper/zookeeper-server.ts';
import { openClient } from './open-client.ts';

const nothing = Buffer.alloc(0);
const SESSION_MS = 12_000;

describeZooKeeper('an ensemble of three', { timeout: 90_000 }, () => {
  let ensemble: ZooKeeperEnsemble;
  beforeAll(async () => {
    ensemble = await startEnsemble();
  }, 60_000);
  afterAll(() => ensemble?.stop());

  /** A client whose first server is this one, and that knows the others. */
  async function openAt(server: ZooKeeperServer): Promise<ZooKeeperClient> {
    const rest = ensemble.servers.filter((each) => each !== server).map(({ address }) => address);
    return openClient([server.address, ...rest].join(','), { sessionMs: SESSION_MS, random: firstFirst });
  }

  test('the session goes on at another server when its own is killed, and its nodes with it', async () => {
    const follower = await ensemble.follower();
    const client = await openAt(follower);
    const { id } = await client.ready();
    await client.create('/kept-1', nothing, 'ephemeral');
    const states: string[] = [];
    client.onStatus(({ state }) => states.push(state));
    await follower.kill();
    expect((await untilAnswered(client, '/kept-1'))?.ephemeralOwner).toBe(id);
    expect(client.session?.id).toBe(id);
    expect(states).not.toContain('lost');
    await follower.restart();
  });

  test('the session goes on when the leader is killed', async () => {
    const leader = await ensemble.leader();
    const client = await openAt(leader);
    const { id } = await client.ready();
    await client.create('/kept-2', nothing, 'ephemeral');
    await leader.kill();
    expect((await untilAnswered(client, '/kept-2'))?.ephemeralOwner).toBe(id);
    await leader.restart();
  });

  test('the session goes on when the leader stands still', async () => {
    const leader = await ensemble.leader();
    const client = await openAt(leader);
    const { id } = await client.ready();
    await client.create('/kept-3', nothing, 'ephemeral');
    await leader.pause();
    try {
      expect((await untilAnswered(client, '/kept-3'))?.ephemeralOwner).toBe(id);
    } finally {
      leader.resume();
    }
    await leader.waitReady();
  });
});

/** Leaves the servers in the order in which they were given. */
const firstFirst = { id: () => '0'.repeat(32), fraction: () => 0.999_999 };

/** Asks again after a lost connection, as every user of a session has to. */
function untilAnswered(client: ZooKeeperClient, path: string): Promise<{ ephemeralOwner: bigint }> {
  return waitFor(`${path} is seen`, () => client.exists(path), 60_000);
}
