import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { etcd } from 'holdfast/etcd';
import { SessionEpoch } from '../../../../src/engines/etcd/lines/session-epoch.ts';
import { describeEtcd } from '../../../fixtures/etcd/describe-etcd.ts';
import { type EtcdServer, startEtcd } from '../../../fixtures/etcd/etcd-server.ts';
import { GrpcProxy } from '../../../fixtures/etcd/grpc-proxy.ts';
import { openEtcdClient } from '../client/open-client.ts';

describeEtcd('a database of etcd that is full', { timeout: 60_000 }, () => {
  let server!: EtcdServer;
  beforeAll(async () => {
    server = await startEtcd();
  }, 60_000);
  afterAll(() => server?.stop(), 60_000);

  async function fill(): Promise<() => Promise<unknown>> {
    const { id: memberID } = await server.roles();
    await server.ask('maintenance/alarm', { action: 'ACTIVATE', memberID, alarm: 'NOSPACE' });
    return () => server.ask('maintenance/alarm', { action: 'DEACTIVATE', memberID, alarm: 'NOSPACE' });
  }

  test('is not asked to take away a ticket that it has refused', async () => {
    const proxy = await GrpcProxy.start(server);
    onTestFinished(() => proxy.stop());
    const locks = etcd({ endpoints: proxy.address });
    onTestFinished(() => locks.close());
    const troubles: unknown[] = [];
    locks.on('trouble', (trouble) => troubles.push(trouble));
    // Nothing is held yet: a client that holds something announces itself.
    await locks.lock('other').isLocked();
    const disarm = await fill();
    const { calls } = proxy;
    await expect(locks.lock('full').acquire()).rejects.toThrow('quota');
    // Behind whatever else the acquisition would ask.
    expect(await locks.lock('other').isLocked()).toBe(false);
    expect([proxy.calls - calls, troubles]).toEqual([2, []]);
    await disarm();
    await locks.lock('full').run(() => undefined);
  });

  test('is asked again to forbid a join whose answer was lost', async () => {
    await using one = openEtcdClient(server.address);
    const { id } = await one.client.ready();
    const disarm = await fill();
    const epoch = new SessionEpoch('epoch', id);
    await expect(epoch.advance(one.client)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await disarm();
    await epoch.advance(one.client);
    expect(epoch.revision).toBeGreaterThan(0n);
  });
});
