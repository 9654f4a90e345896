import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { etcd } from 'holdfast/etcd';
import { describeEtcd } from '../../../fixtures/etcd/describe-etcd.ts';
import { type EtcdServer, startEtcd } from '../../../fixtures/etcd/etcd-server.ts';
import { waitFor } from '../../../fixtures/wait-for.ts';

describeEtcd('a ticket in etcd that is deleted by hand', { timeout: 60_000 }, () => {
  let server!: EtcdServer;
  beforeAll(async () => {
    server = await startEtcd();
  }, 60_000);
  afterAll(() => server?.stop(), 60_000);

  test('is made again while its owner waits', async () => {
    const locks = etcd({ endpoints: server.address });
    const other = etcd({ endpoints: server.address });
    onTestFinished(async () => void (await Promise.all([locks.close(), other.close()])));
    const hold = await other.fairLock('/line').acquire();
    const waiting = locks.fairLock('/line').acquire();
    const [key, end] = ['/line/', '/line0'].map((text) => Buffer.from(text).toString('base64'));
    const youngest = async (): Promise<string | undefined> => {
      const ask = { key, range_end: end, sort_target: 'CREATE', sort_order: 'DESCEND' };
      const { kvs = [] } = await server.ask('kv/range', ask);
      const keys = kvs as readonly { readonly key: string }[];
      return keys.length === 2 ? keys[0]!.key : undefined;
    };
    let ticket: string | undefined;
    await waitFor('the waiter stands in line', async () => (ticket = await youngest()) !== undefined);
    const deleted = ticket;
    await server.ask('kv/deleterange', { key: deleted });
    await waitFor('the waiter stands in line again', async () => (await youngest()) !== undefined);
    await hold.release();
    await (await waiting).release();
    expect(await locks.fairLock('/line').isLocked()).toBe(false);
  });
});
