import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { etcd, type EtcdSynchronizers } from 'holdfast/etcd';
import { memory } from 'holdfast/memory';
import { endOfPrefix } from '../../../../src/engines/etcd/layout/etcd-keys.ts';
import { describeEtcd } from '../../../fixtures/etcd/describe-etcd.ts';
import { startEtcd, type EtcdServer } from '../../../fixtures/etcd/etcd-server.ts';
import { waitFor } from '../../../fixtures/wait-for.ts';
import { type OpenClient, openEtcdClient } from '../client/open-client.ts';

/** A grant is handed over for 50 ms only: on a busy machine some are older when they are given back. */
const ROUNDS = 10;

describeEtcd('a transaction with a check of a hold', { timeout: 30_000 }, () => {
  let server!: EtcdServer;
  let raw!: OpenClient;
  beforeAll(async () => {
    server = await startEtcd();
    raw = openEtcdClient(server.address, { leaseSeconds: 30 });
    await raw.client.ready();
  }, 60_000);
  afterAll(async () => {
    await raw?.client.close();
    await server?.stop();
  }, 60_000);

  function open(keyPrefix?: string): EtcdSynchronizers {
    const locks = etcd({
      endpoints: server.address,
      sessionMs: 10_000,
      ...(keyPrefix !== undefined && { keyPrefix }),
    });
    onTestFinished(() => locks.close());
    return locks;
  }

  const write = (value: string) => ({ type: 'put', key: '/data', value }) as const;
  const written = async () => {
    const { kvs } = await raw.client.range({ key: Buffer.from('/data') });
    return Buffer.from(kvs[0]?.value ?? []).toString();
  };
  const keyOf = async (prefix: string) => {
    const key = Buffer.from(prefix);
    const { kvs } = await raw.client.range({ key, rangeEnd: endOfPrefix(key) });
    return Buffer.from(kvs[0]!.key).toString();
  };
  const remove = (key: string) =>
    raw.client.txn({ success: [{ requestDeleteRange: { key: Buffer.from(key) } }] });

  test.each([
    ['a lock', (locks: EtcdSynchronizers) => locks.lock('/txn/lock').acquire()],
    ['a fair lock', (locks: EtcdSynchronizers) => locks.fairLock('fair').acquire()],
    ['a write', (locks: EtcdSynchronizers) => locks.readWriteLock('/txn/rw').write.acquire()],
    ['a read', (locks: EtcdSynchronizers) => locks.readWriteLock('/txn/ro').read.acquire()],
    ['a leader', (locks: EtcdSynchronizers) => locks.election('/txn/el').campaign({ value: 'a' })],
  ])('of %s writes while it is held, and not when its key is gone', async (what, acquire) => {
    const locks = open();
    const hold = await acquire(locks);
    const check = locks.check(hold);
    expect(await locks.txn([check, write(what)])).toBeGreaterThan(check.createRevision);
    expect(await written()).toBe(what);
    await remove(check.key);
    await expect(locks.txn([check, write('late')])).rejects.toMatchObject({
      code: 'LEASE_LOST',
      reason: 'gone',
    });
    expect(await written()).toBe(what);
  });

  test('a client of the user compares the same', async () => {
    const locks = open('app');
    const hold = await locks.lock('job').acquire();
    const { key, createRevision } = locks.check(hold);
    expect(key).toMatch(/^app\/holdfast\/lock\/job\//);
    const compare = [{ target: 1, key: Buffer.from(key), createRevision }];
    const put = { requestPut: { key: Buffer.from('/mine'), value: Buffer.from('1') } };
    expect((await raw.client.txn({ compare, success: [put] })).succeeded).toBe(true);
    await hold.release();
    expect((await raw.client.txn({ compare, success: [put] })).succeeded).toBe(false);
  });

  test('a hold that was handed over has the key of its grant, and the one before it none', async () => {
    const locks = open();
    const lock = locks.lock('/txn/handed');
    // A grant is handed over for 50 ms only: on a busy machine the first may be older by then.
    await waitFor('a hand-over', async () => {
      const first = await lock.acquire();
      const [next, last] = [lock.acquire(), lock.acquire()];
      await first.release();
      const second = await next;
      const ticket = await keyOf('/txn/handed/');
      await second.release();
      await using third = await last;
      expect(() => locks.check(second)).toThrow(expect.toSatisfy((error) => error.code === 'NOT_HELD'));
      await locks.txn([locks.check(third), write(ticket)]);
      return locks.check(third).key === ticket;
    });
    expect(await written()).toMatch(/^\/txn\/handed\//);
  });

  test('a hold that was checked is not handed over: a late transaction of it writes nothing', async () => {
    const locks = open();
    const lock = locks.lock('/txn/checked');
    for (let round = 0; round < ROUNDS; round++) {
      const first = await lock.acquire();
      const [next, last] = [lock.acquire(), lock.acquire()];
      await first.release();
      // The first one was alone when it was granted, and is not handed over.
      const second = await next;
      const check = locks.check(second);
      await second.release();
      await using third = await last;
      await expect(locks.txn([check, write('late')])).rejects.toMatchObject({ code: 'LEASE_LOST' });
      expect(locks.check(third).createRevision).toBeGreaterThan(check.createRevision);
    }
  });

  test('two locks that were granted at the same revision have their own keys', async () => {
    const [holder, locks] = [open(), open()];
    const names = ['/txn/one', '/txn/two'];
    const held = await Promise.all(names.map((name) => holder.lock(name).acquire()));
    const waiting = names.map((name) => locks.lock(name).acquire());
    await waitFor('two tickets', async () => {
      const waiters = await Promise.all(names.map((name) => locks.lock(name).waiters()));
      return waiters.every((count) => count === 1);
    });
    await holder.txn(held.map((hold) => ({ type: 'delete', key: holder.check(hold).key }) as const));
    const holds = await Promise.all(waiting);
    for (const [at, hold] of holds.entries()) {
      expect(locks.check(hold).key).toMatch(new RegExp(`^${names[at]}/`));
      await hold.release();
    }
  });

  test('another check that fails is named, and nothing is written', async () => {
    const locks = open();
    const hold = await locks.lock('/txn/other').acquire();
    await locks.txn([write('before'), { type: 'delete', key: '/none' }]);
    await expect(
      locks.txn([locks.check(hold), { type: 'check', key: '/data', createRevision: 0n }, write('x')]),
    ).rejects.toMatchObject({
      code: 'ENGINE',
      retryable: false,
      message: 'txn(): the create revision of "/data" is another one. Nothing was written.',
      cause: { code: 'FAILED_PRECONDITION' },
    });
    expect(await written()).toBe('before');
    await hold.release();
  });

  test('a hold without a key of its own is refused', async () => {
    const locks = open();
    const elsewhere = await memory().lock('a').acquire();
    expect(() => locks.check(elsewhere)).toThrow(/no key of its own/);
    const permit = await locks.semaphore('/txn/seats', { permits: 1 }).acquire();
    expect(() => locks.check(permit)).toThrow(/no key of its own/);
    await permit.release();
  });
});
