import { afterAll, beforeAll, expect, test } from 'vitest';
import { openAccess } from '../../../../src/engines/zookeeper/client/protocol/access-rule.ts';
import { connectFrame } from '../../../../src/engines/zookeeper/client/protocol/handshake.ts';
import { createNode, syncNode } from '../../../../src/engines/zookeeper/client/protocol/node-operations.ts';
import {
  encodeRequest,
  type Operation,
} from '../../../../src/engines/zookeeper/client/protocol/operation.ts';
import {
  ServerConnection,
  type Settle,
} from '../../../../src/engines/zookeeper/client/session/server-connection.ts';
import { waitFor } from '../../../fixtures/wait-for.ts';
import { startEnsemble, type ZooKeeperEnsemble } from '../../../fixtures/zookeeper/zookeeper-ensemble.ts';
import { describeZooKeeper } from '../../../fixtures/zookeeper/zookeeper-jars.ts';
import type { ZooKeeperServer } from '../../../fixtures/zookeeper/zookeeper-server.ts';
import { openClient } from './open-client.ts';

const nothing = Buffer.alloc(0);
/** The shortest session that a server grants unless its settings say otherwise: two ticks. */
const TICK_MS = 1_000;
const SESSION_MS = 2 * TICK_MS;
const PING = { xid: -2, frame: Buffer.from([0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 11]) };

/** Only the leader ends sessions, and a follower that has lost its leader notices only after syncLimit ticks. */
describeZooKeeper('a follower that is cut off from its leader', { timeout: 60_000 }, () => {
  let ensemble: ZooKeeperEnsemble;
  beforeAll(async () => {
    const settings = { tickTime: String(TICK_MS), minSessionTimeout: String(SESSION_MS), syncLimit: '5' };
    ensemble = await startEnsemble({ settings });
  }, 60_000);
  afterAll(() => ensemble?.stop());

  /** Cuts the follower off between `before` and `after`, and returns when the leader has ended the session of the node. */
  async function whenGone(
    follower: ZooKeeperServer,
    path: string,
    before: () => Promise<void>,
    after?: () => Promise<void>,
  ): Promise<number> {
    const leader = await ensemble.leader();
    const observer = openClient(leader.address, { sessionMs: 20_000 });
    let goneAt = Infinity;
    await waitFor('the leader has the node', () => observer.exists(path, () => (goneAt = performance.now())));
    await before();
    ensemble.cutOff(follower);
    try {
      await waitFor('the leader has ended the session', () => goneAt < Infinity, 20_000);
      await after?.();
      return goneAt;
    } finally {
      await ensemble.heal(follower);
      await follower.waitReady();
    }
  }

  test('answers pings after the session is over, and an answered sync does not prolong it', async () => {
    const follower = await ensemble.follower();
    const connection = await connectBare(follower);
    const answered = (operation: Operation<unknown>): Promise<void> =>
      new Promise((resolve) => connection.send(encodeRequest(operation), operation.what, () => resolve()));
    await answered(createNode('/bare', nothing, 'ephemeral', openAccess));
    let syncedAt = 0;
    let isPinged = false;
    const goneAt = await whenGone(
      follower,
      '/bare',
      async () => {
        // The leader hears of this touch within half a tick, and ends the session within a tick after its time: before
        // 1.75 of it in all. The sync is sent after 0.85, so that a session it prolonged would end later than it does.
        await answered(syncNode('/'));
        const idleSince = performance.now();
        await waitFor(
          'most of the session has passed',
          () => performance.now() - idleSince > SESSION_MS * 0.85,
        );
        syncedAt = performance.now();
        await answered(syncNode('/'));
      },
      async () => {
        isPinged = await new Promise((resolve) => {
          const settle: Settle = (reply) => resolve(reply !== undefined);
          connection.sendReserved(PING.xid, Buffer.from(PING.frame), 'ping', settle);
        });
      },
    );
    // A client that believed in its last answered sync for the time of a session would still believe.
    expect(goneAt - syncedAt).toBeLessThan(SESSION_MS);
    expect(isPinged).toBe(true);
    connection.destroy(new Error('the test is over'));
  });

  test.for([0, 1, 2])(
    'is no reason to believe in a session longer than the leader does (%s)',
    async (round) => {
      const follower = await ensemble.follower();
      const client = openClient(follower.address, { sessionMs: SESSION_MS });
      await client.create(`/held-${round}`, nothing, 'ephemeral');
      let lostAt = Infinity;
      client.onStatus(({ state }) => {
        if (state === 'lost') lostAt = performance.now();
      });
      const goneAt = await whenGone(follower, `/held-${round}`, async () => {
        // Just after a proof the client believes for the longest time.
        for (let proofs = 0; proofs < 2 + round; proofs += 1) await nextProof(client);
      });
      expect(client.status.state).toBe('lost');
      expect(lostAt).toBeLessThan(goneAt);
    },
  );
});

function nextProof(client: ReturnType<typeof openClient>): Promise<void> {
  return new Promise((resolve) => {
    const end = client.onStatus(({ state }) => {
      if (state !== 'connected') return;
      end();
      resolve();
    });
  });
}

/** A connection that sends what the test sends, and nothing by itself. */
function connectBare(server: ZooKeeperServer): Promise<ServerConnection> {
  return new Promise((resolve, reject) => {
    const connection = new ServerConnection({
      server: { host: '127.0.0.1', port: server.port },
      tls: undefined,
      maxReplyBytes: 1_000_000,
      handshake: connectFrame({
        lastZxid: 0n,
        timeoutMs: SESSION_MS,
        sessionId: 0n,
        password: Buffer.alloc(16),
      }),
      onConnected: () => resolve(connection),
      onHeard: () => undefined,
      onEvent: () => undefined,
      onEnd: reject,
    });
  });
}
