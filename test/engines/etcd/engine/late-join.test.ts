import { afterAll, beforeAll, expect, test } from 'vitest';
import { etcd } from 'holdfast/etcd';
import { endOfPrefix } from '../../../../src/engines/etcd/layout/etcd-keys.ts';
import { describeEtcd } from '../../../fixtures/etcd/describe-etcd.ts';
import { type EtcdServer, startEtcd } from '../../../fixtures/etcd/etcd-server.ts';
import { GrpcProxy } from '../../../fixtures/etcd/grpc-proxy.ts';
import { waitFor } from '../../../fixtures/wait-for.ts';
import { openEtcdClient } from '../client/open-client.ts';

describeEtcd('a join that a member carries out late', { timeout: 60_000 }, () => {
  let server: EtcdServer;
  beforeAll(async () => {
    server = await startEtcd();
  }, 60_000);
  afterAll(() => server?.stop());

  test('leaves no ticket of a client that has given up', async () => {
    const proxy = await GrpcProxy.start(server);
    await using raw = openEtcdClient(server.address, { leaseSeconds: 30 });
    await raw.client.ready();
    const exists = async (prefix: string) => {
      const key = Buffer.from(prefix);
      return (await raw.client.range({ key, rangeEnd: endOfPrefix(key) })).kvs.length > 0;
    };
    const locks = etcd({ endpoints: proxy.address, sessionMs: 8000 });
    await locks.lock('first').run(() => undefined);
    const stuck = proxy.holdConnection();
    await expect(locks.lock('/late').acquire({ timeoutMs: 300 })).rejects.toBeInstanceOf(Error);
    expect(stuck.isHeld()).toBe(true);
    // The client has left for another connection, where it forbids what it has sent before.
    await waitFor('the next epoch has begun', () => exists('/holdfast/sessions/'));
    stuck.pass();
    await waitFor('the member has answered', () => stuck.answers() > 0);
    expect(await exists('/late/')).toBe(false);
    // The session goes on, and joins in the new epoch.
    await locks.lock('/late').run(() => undefined);
    await locks.close();
    proxy.stop();
  });
});
