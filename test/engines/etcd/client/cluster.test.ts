import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeEtcd } from '../../../fixtures/etcd/describe-etcd.ts';
import { type EtcdCluster, startCluster } from '../../../fixtures/etcd/etcd-cluster.ts';
import type { EtcdServer } from '../../../fixtures/etcd/etcd-server.ts';
import { waitFor } from '../../../fixtures/wait-for.ts';
import { type OpenClient, openEtcdClient } from './open-client.ts';

const key = Buffer.from('key');
const LEASE_SECONDS = 8;

describeEtcd('a client of three members', { timeout: 60_000 }, () => {
  let cluster: EtcdCluster;
  beforeEach(async () => {
    cluster = await startCluster();
  }, 60_000);
  afterEach(() => cluster?.stop());

  /** The member that is given comes first: the other addresses are reached when it is left. */
  async function openAt(server: EtcdServer): Promise<OpenClient> {
    const others = cluster.servers.filter((one) => one !== server).map(({ address }) => address);
    const one = openEtcdClient([server.address, ...others].join(','), {
      leaseSeconds: LEASE_SECONDS,
      random: { id: () => '', fraction: () => 0 },
    });
    const { id } = await one.client.ready();
    await waitFor('the key stands', () => one.client.txn({ success: [{ requestPut: { key, lease: id } }] }));
    return one;
  }

  /** Whether the lease is proven again, and the key stands that is bound to it. */
  async function goesOn({ client, statuses }: OpenClient): Promise<boolean> {
    const since = statuses.length;
    await waitFor('the lease is proven again', () =>
      statuses.slice(since).some(({ state }) => state === 'connected'),
    );
    const { kvs } = await waitFor('a call is answered', () => client.range({ key }));
    return kvs[0]?.lease === client.lease?.id && !statuses.some(({ state }) => state === 'lost');
  }

  test.each(['leader', 'follower'] as const)(
    'keeps its lease when the %s that it uses is killed',
    async (role) => {
      const server = await cluster[role]();
      await using one = await openAt(server);
      await server.kill();
      expect(await goesOn(one)).toBe(true);
    },
  );

  test.each(['leader', 'follower'] as const)(
    'keeps its lease when the %s that it uses stands still',
    async (role) => {
      const server = await cluster[role]();
      await using one = await openAt(server);
      await server.pause();
      expect(await goesOn(one)).toBe(true);
    },
  );

  test('hears of a lease that was ended while it could reach a member without a leader only', async () => {
    const leader = await cluster.leader();
    const [first, ...others] = cluster.servers;
    const alone = first === leader ? others[0]! : first!;
    await using one = await openAt(alone);
    const rest = cluster.servers.filter((server) => server !== alone);
    await Promise.all(rest.map((server) => server.pause()));
    await waitFor('the client reports the silence', () => one.statuses.at(-1)?.state === 'suspended');
    await expect(one.client.range({ key })).rejects.toBeInstanceOf(Error);
    for (const server of rest) server.resume();
    await waitFor('it is connected', () => one.statuses.at(-1)?.state === 'connected');
  });
});
