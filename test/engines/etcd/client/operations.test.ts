import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  compareCompareResult,
  compareCompareTarget,
  eventEventType,
  watchCreateRequestFilterType,
} from '../../../../src/engines/etcd/client/messages/etcd-messages.generated.ts';
import { EtcdError } from '../../../../src/engines/etcd/client/transport/etcd-error.ts';
import { describeEtcd } from '../../../fixtures/etcd/describe-etcd.ts';
import { type EtcdServer, startEtcd } from '../../../fixtures/etcd/etcd-server.ts';
import { waitFor } from '../../../fixtures/wait-for.ts';
import { openEtcdClient } from './open-client.ts';

const { EQUAL } = compareCompareResult;
const { CREATE } = compareCompareTarget;

describeEtcd('a client of etcd', { timeout: 60_000 }, () => {
  let server: EtcdServer;
  beforeAll(async () => {
    server = await startEtcd();
  }, 60_000);
  afterAll(() => server?.stop());

  const put = (key: string, lease = 0n) => ({
    success: [{ requestPut: { key: Buffer.from(key), value: Buffer.from('x'), lease } }],
  });

  test('puts if absent, reads, and is refused when it is there', async () => {
    await using one = openEtcdClient(server.address);
    const { id } = await one.client.ready();
    const key = Buffer.from('absent');
    const request = {
      compare: [{ result: EQUAL, target: CREATE, key, createRevision: 0n }],
      ...put('absent', id),
      failure: [{ requestRange: { key } }],
    };
    const made = await one.client.txn(request);
    expect(made.succeeded).toBe(true);
    const refused = await one.client.txn(request);
    expect(refused.succeeded).toBe(false);
    const [kv] = refused.responses[0]!.responseRange!.kvs;
    expect(kv).toMatchObject({ createRevision: made.header!.revision, version: 1n, lease: id });
    expect(Buffer.from(kv!.value).toString()).toBe('x');
  });

  test('what is bound to the lease goes when the client closes', async () => {
    await using other = openEtcdClient(server.address);
    const one = openEtcdClient(server.address);
    const { id, grantedMs } = await one.client.ready();
    expect(grantedMs).toBe(2000);
    await one.client.txn(put('bound', id));
    await one.client.close();
    const { kvs } = await other.client.range({ key: Buffer.from('bound') });
    expect(kvs).toEqual([]);
  });

  test('a watch from a revision hears what has been, and what comes', async () => {
    await using one = openEtcdClient(server.address);
    await one.client.ready();
    const key = Buffer.from('watched');
    const { header } = await one.client.txn(put('watched'));
    const heard: number[] = [];
    const watch = one.client.watch({
      key,
      from: header!.revision,
      onEvents: (events) => heard.push(...events.map(({ type }) => type)),
      onGap: () => undefined,
    });
    await one.client.txn({ success: [{ requestDeleteRange: { key } }] });
    await waitFor('both are heard', () => heard.length === 2);
    expect(heard).toEqual([eventEventType.PUT, eventEventType.DELETE]);
    watch.end();
    await one.client.txn(put('watched'));
    expect(heard.length).toBe(2);
  });

  test('a watch with a filter hears of deletes alone, from the moment in which it is ready', async () => {
    await using one = openEtcdClient(server.address);
    await one.client.ready();
    const key = Buffer.from('filtered');
    const heard: number[] = [];
    const watch = one.client.watch({
      key,
      filters: [watchCreateRequestFilterType.NOPUT],
      onEvents: (events) => heard.push(...events.map(({ type }) => type)),
      onGap: () => undefined,
    });
    await watch.ready;
    await one.client.txn(put('filtered'));
    await one.client.txn({ success: [{ requestDeleteRange: { key } }] });
    await waitFor('the delete is heard', () => heard.length > 0);
    expect(heard).toEqual([eventEventType.DELETE]);
  });

  test('a watch whose history is compacted away says that it has missed something, and goes on', async () => {
    await using one = openEtcdClient(server.address);
    await one.client.ready();
    const first = await one.client.txn(put('compacted'));
    const last = await one.client.txn(put('compacted'));
    await server.ask('kv/compaction', { revision: String(last.header!.revision) });
    let gaps = 0;
    const heard: bigint[] = [];
    const watch = one.client.watch({
      key: Buffer.from('compacted'),
      from: first.header!.revision,
      onEvents: (events) => heard.push(...events.map(({ kv }) => kv!.modRevision)),
      onGap: () => gaps++,
    });
    await watch.ready;
    const next = await one.client.txn(put('compacted'));
    await waitFor('it goes on', () => heard.includes(next.header!.revision));
    expect(gaps).toBe(1);
  });

  test('the lease is kept alive, and the client reports its loss when it is revoked by hand', async () => {
    await using one = openEtcdClient(server.address);
    const { id } = await one.client.ready();
    await waitFor('it was proven again', () => one.statuses.length >= 4);
    expect(new Set(one.statuses.map(({ state }) => state))).toEqual(new Set(['connected']));
    await server.ask('kv/lease/revoke', { ID: String(id) });
    await waitFor('the client reports the loss', () => one.statuses.at(-1)?.state === 'lost');
  });

  test('every call that waits is answered when the client closes', async () => {
    const one = openEtcdClient('127.0.0.1:1');
    const waiting = [one.client.ready(), one.client.range({ key: Buffer.from('x') })];
    const settled = Promise.allSettled(waiting);
    await one.client.close();
    for (const outcome of await settled) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(EtcdError) });
    }
    await expect(one.client.range({ key: Buffer.from('x') })).rejects.toMatchObject({ code: 'CLOSED' });
  });

  test('a client reports a server that is not there within the time to connect', async () => {
    await using one = openEtcdClient('127.0.0.1:1', { connectMs: 300 });
    await expect(one.client.ready()).rejects.toMatchObject({
      code: 'NOT_SENT',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });
});
