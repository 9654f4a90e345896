import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../../src/core/time/clock.ts';
import { EtcdDocuments } from '../../../../src/engines/etcd/documents/etcd-documents.ts';
import { EtcdAnnouncements } from '../../../../src/engines/etcd/etcd-announcements.ts';
import { EtcdLiveness } from '../../../../src/engines/etcd/etcd-liveness.ts';
import { describeEtcd } from '../../../fixtures/etcd/describe-etcd.ts';
import { type EtcdServer, startEtcd } from '../../../fixtures/etcd/etcd-server.ts';
import { openEtcdClient } from '../client/open-client.ts';

describeEtcd('a session of etcd that is being opened', { timeout: 60_000 }, () => {
  let server!: EtcdServer;
  beforeAll(async () => {
    server = await startEtcd();
  }, 60_000);
  afterAll(() => server?.stop(), 60_000);

  test('makes no key that would outlive it', async () => {
    const subject = { resource: 'etcd()', engine: 'etcd' };
    const liveness = new EtcdLiveness({
      subject,
      connect: () => openEtcdClient(server.address).client,
      onGranted: () => undefined,
    });
    const store = { liveness, label: 'etcd', clock: systemClock, root: '' };
    const documents = new EtcdDocuments(store);
    const announcements = new EtcdAnnouncements({ ...store, subject });
    // There is a client from now on, and its lease comes later.
    const opening = liveness.open();
    const early = [documents.enter('one'), announcements.announce('one', '{}')];
    const refused = { status: 'rejected', reason: { code: 'ENGINE', retryable: true } };
    expect(await Promise.allSettled(early)).toMatchObject([refused, refused]);
    await opening;
    await documents.enter('one');
    await announcements.announce('one', '{}');
    const [key, rangeEnd] = ['/holdfast/', '/holdfast0'].map((text) => Buffer.from(text).toString('base64'));
    const { kvs = [] } = await server.ask('kv/range', { key, range_end: rangeEnd });
    const leases = (kvs as readonly { readonly lease?: string }[]).map((kv) => kv.lease);
    expect(leases).toEqual([String(liveness.lease), String(liveness.lease)]);
    await liveness.close();
  });
});
