import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../../src/core/time/clock.ts';
import { describeEtcd } from '../../../fixtures/etcd/describe-etcd.ts';
import { type EtcdServer, startEtcd } from '../../../fixtures/etcd/etcd-server.ts';
import { GrpcProxy } from '../../../fixtures/etcd/grpc-proxy.ts';
import { waitFor } from '../../../fixtures/wait-for.ts';
import { type OpenClient, openEtcdClient } from './open-client.ts';

const key = Buffer.from('key');

function hasResumed({ statuses }: OpenClient): boolean {
  const suspended = statuses.findIndex(({ state }) => state === 'suspended');
  return suspended !== -1 && statuses.slice(suspended).some(({ state }) => state === 'connected');
}

describeEtcd('a client of etcd in trouble', { timeout: 60_000 }, () => {
  let server: EtcdServer;
  beforeAll(async () => {
    server = await startEtcd();
  }, 60_000);
  afterAll(() => server?.stop());

  test('a call whose answer is lost fails at once, and the lease goes on over the next connection', async () => {
    const proxy = await GrpcProxy.start(server);
    await using one = openEtcdClient(proxy.address);
    const { id } = await one.client.ready();
    // Behind the beginning of the streams, which are calls too.
    await one.client.range({ key });
    proxy.loseNextReply();
    const lost = one.client.txn({ success: [{ requestPut: { key, lease: id } }] });
    await expect(lost).rejects.toMatchObject({ code: 'CONNECTION_LOST' });
    const { kvs } = await one.client.range({ key });
    expect(kvs[0]?.lease).toBe(id);
    await waitFor('the lease goes on', () => hasResumed(one));
    expect(one.client.lease?.id).toBe(id);
    proxy.stop();
  });

  test('a watch goes on over the next connection, and misses nothing in between', async () => {
    const proxy = await GrpcProxy.start(server);
    await using one = openEtcdClient(proxy.address);
    await using other = openEtcdClient(server.address);
    await one.client.ready();
    const heard: bigint[] = [];
    const watch = one.client.watch({
      key: Buffer.from('bridged'),
      onEvents: (events) => heard.push(...events.map(({ kv }) => kv!.modRevision)),
      onGap: () => undefined,
    });
    await watch.ready;
    const put = { success: [{ requestPut: { key: Buffer.from('bridged') } }] };
    const revisions = [(await other.client.txn(put)).header!.revision];
    await waitFor('the first is heard', () => heard.length === 1);
    const speak = proxy.silence();
    revisions.push((await other.client.txn(put)).header!.revision);
    revisions.push((await other.client.txn(put)).header!.revision);
    speak();
    await waitFor('the others are heard', () => heard.length >= 3);
    expect(heard).toEqual(revisions);
    proxy.stop();
  });

  test('a server that is silent is left within half of the lease', async () => {
    const proxy = await GrpcProxy.start(server);
    await using one = openEtcdClient(proxy.address, { leaseSeconds: 4 });
    await one.client.ready();
    const since = performance.now();
    const speak = proxy.silence();
    await waitFor('the client reports it', () => one.statuses.at(-1)?.state === 'suspended');
    expect(performance.now() - since).toBeLessThan(2500);
    speak();
    await waitFor('the lease goes on', () => hasResumed(one));
    proxy.stop();
  });

  test('a lease that is granted later than it lasts counts from a beat of its own', async () => {
    const proxy = await GrpcProxy.start(server);
    // The process stands still for 10 s as soon as its first call has left.
    const now = (): number => systemClock.now() + (proxy.calls > 0 ? 10_000 : 0);
    await using one = openEtcdClient(proxy.address, { leaseSeconds: 8, clock: { ...systemClock, now } });
    const { grantedMs } = await one.client.ready();
    // Before the event loop has read anything more.
    expect(one.statuses).toEqual([{ state: 'connected', provenAt: expect.any(Number) as number }]);
    const [status] = one.statuses;
    expect(status?.state === 'connected' && status.provenAt + grantedMs).toBeGreaterThan(now());
    proxy.stop();
  });

  test('a call to a server that stands still ends at its deadline', async () => {
    await using frozen = await startEtcd();
    await using one = openEtcdClient(frozen.address, { leaseSeconds: 60, callMs: 400 });
    await one.client.ready();
    await frozen.pause();
    await expect(one.client.range({ key })).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    frozen.resume();
    await one.client.range({ key });
  });

  test('a server that is killed and comes back keeps the lease', async () => {
    await using mortal = await startEtcd();
    await using one = openEtcdClient(mortal.address, { leaseSeconds: 20 });
    const { id } = await one.client.ready();
    await one.client.txn({ success: [{ requestPut: { key, lease: id } }] });
    await mortal.kill();
    await waitFor('the client reports it', () => one.statuses.at(-1)?.state === 'suspended');
    await mortal.restart();
    await waitFor('the lease goes on', () => hasResumed(one));
    expect((await one.client.range({ key })).kvs.length).toBe(1);
  });

  test('a server that says goodbye is left without a failed call', async () => {
    await using leaving = await startEtcd();
    await using one = openEtcdClient(`${leaving.address},${server.address}`, { leaseSeconds: 60 });
    await one.client.ready();
    const goodbye = leaving.terminate();
    const calls = Array.from({ length: 60 }, () =>
      one.client.range({ key }).catch((error: unknown) => error),
    );
    const failed = (await Promise.all(calls)).filter((answer) => answer instanceof Error);
    // A call that the server was at work on when it ended has no answer; one that it has refused was sent again.
    for (const error of failed)
      expect(error).toMatchObject({ code: expect.not.stringMatching('INTERNAL|NOT_SENT') });
    await goodbye;
    await one.client.range({ key });
  });

  test('an endpoint that accepts and says nothing does not keep the client from the other one', async () => {
    const deaf = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(deaf, 'listening');
    const address = `127.0.0.1:${(deaf.address() as AddressInfo).port}`;
    for (let round = 0; round < 4; round++) {
      await using one = openEtcdClient(`${address},${server.address}`);
      const since = performance.now();
      await one.client.ready();
      expect(performance.now() - since).toBeLessThan(1500);
    }
    deaf.close();
  });

  test('closing while the next connection is on its way leaves no lease behind', async () => {
    const proxy = await GrpcProxy.start(server);
    const { client } = openEtcdClient(proxy.address, { leaseSeconds: 60 });
    const { id } = await client.ready();
    const closing = new Promise<void>((resolve) => {
      client.onStatus(({ state }) => {
        if (state === 'suspended') resolve(client.close());
      });
    });
    proxy.reset();
    await closing;
    const { leases = [] } = await server.ask('lease/leases');
    expect((leases as readonly { readonly ID: string }[]).map(({ ID }) => ID)).not.toContain(String(id));
    proxy.stop();
  });

  test('closing while the lease is on its way leaves no lease behind', async () => {
    const leases = async () => ((await server.ask('lease/leases'))['leases'] ?? []) as readonly unknown[];
    const before = (await leases()).length;
    const one = openEtcdClient(server.address, { leaseSeconds: 60 });
    const opening = one.client.ready();
    await Promise.allSettled([one.client.close(), opening]);
    await expect(opening).rejects.toMatchObject({ code: 'CLOSED' });
    await waitFor('no lease is left', async () => (await leases()).length <= before);
  });
});
