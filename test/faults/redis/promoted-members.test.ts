import { afterEach, expect, test } from 'vitest';
import { quorumLock, type Synchronizers } from '../../../src/index.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { startAll } from '../../fixtures/redis/start-all.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { CLIENT_NAMES, type ClientName, openLocks } from './open-locks.ts';

const longestLeaseMs = 4000;

describeRedis('a lock on three servers, two of which have a replica each', () => {
  const servers: RedisServer[] = [];
  const fleet: Synchronizers[] = [];
  afterEach(async () => {
    await Promise.all(fleet.splice(0).map((locks) => locks.close()));
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });

  async function start(count: number, args: readonly string[][] = []): Promise<RedisServer[]> {
    const starts = Array.from({ length: count }, (_, at) => () => startRedisServer({ args: args[at] ?? [] }));
    const started = await startAll(starts);
    servers.push(...started);
    return started;
  }

  async function quorum(client: ClientName, members: readonly RedisServer[]) {
    const engines: Synchronizers[] = [];
    for (const [at, server] of members.entries()) {
      const settings = { renewalLeaseMs: longestLeaseMs, commandTimeoutMs: 1000, label: `member ${at}` };
      engines.push(await openLocks(client, server, settings));
    }
    fleet.push(...engines);
    return quorumLock(
      engines.map((locks) => locks.lock('ledger')),
      { longestLeaseMs },
    );
  }

  // Replication to both stands still while a quorum is taken; both masters die, and their replicas take their places.
  test.each(CLIENT_NAMES)(
    'a replica that was just promoted does not count, however long it has been up (%s)',
    async (client) => {
      const masters = await start(3);
      const of = ({ port }: RedisServer) => ['--replicaof', '127.0.0.1', String(port)];
      const replicas = await start(2, masters.slice(0, 2).map(of));
      await Promise.all([...masters, ...replicas].map(grownUp));
      await Promise.all(replicas.map(linked));
      const before = await quorum(client, masters);
      await Promise.all(replicas.map((replica) => replica.command('REPLICAOF', '127.0.0.1', 1)));
      const hold = await before.acquire({ timeoutMs: 8000 });

      await Promise.all(masters.slice(0, 2).map((master) => master.kill()));
      await Promise.all(replicas.map((replica) => replica.command('REPLICAOF', 'NO', 'ONE')));
      const members = [...replicas, masters[2]!];
      const after = await quorum(client, members);
      const refused = await after.tryAcquire().catch((error: unknown) => error);
      expect(refused).toMatchObject({
        code: 'QUORUM',
        answers: [{ answer: 'too-young' }, { answer: 'too-young' }, { answer: 'busy' }],
      });
      await hold.release().catch(() => undefined);

      const next = await waitFor(
        'the members count again',
        () => after.tryAcquire().catch(() => null),
        20_000,
      );
      expect(next.fence).toBeGreaterThan(hold.fence);
      await next.release();
      // What one client has seen, all know: the server has written it down.
      const others = await quorum(client, members);
      await others.run(() => undefined, { timeoutMs: 8000 });
    },
    60_000,
  );
});

/** It tells its age in whole seconds. */
async function grownUp(server: RedisServer): Promise<void> {
  await waitFor('the server is older than the longest lease', async () => {
    return Number((await server.info('server'))['uptime_in_seconds']) * 1000 >= longestLeaseMs;
  });
}

async function linked(replica: RedisServer): Promise<void> {
  await waitFor('the replica has all of its master', async () => {
    return (await replica.info('replication'))['master_link_status'] === 'up';
  });
}
