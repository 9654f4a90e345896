import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Hold } from 'holdfast';
import { etcd, type EtcdSynchronizers, type Sighting } from 'holdfast/etcd';
import { endOfPrefix } from '../../../../src/engines/etcd/layout/etcd-keys.ts';
import { describeEtcd } from '../../../fixtures/etcd/describe-etcd.ts';
import { type EtcdServer, startEtcd } from '../../../fixtures/etcd/etcd-server.ts';
import { waitFor } from '../../../fixtures/wait-for.ts';
import { type OpenClient, openEtcdClient } from '../client/open-client.ts';

const OWN = '[0-9a-f]+-[0-9a-f]{32}\\.[0-9a-z]+';

describeEtcd('what lies in etcd', { timeout: 30_000 }, () => {
  let server: EtcdServer;
  let locks: EtcdSynchronizers;
  let raw: OpenClient;
  beforeAll(async () => {
    server = await startEtcd();
    locks = etcd({ endpoints: server.address });
    raw = openEtcdClient(server.address, { leaseSeconds: 30 });
    await raw.client.ready();
  }, 60_000);
  afterAll(async () => {
    await locks?.close();
    await raw?.client.close();
    await server?.stop();
  });

  async function keysBelow(prefix: string): Promise<readonly string[]> {
    const key = Buffer.from(prefix);
    const { kvs } = await raw.client.range({ key, rangeEnd: endOfPrefix(key) });
    return kvs.map((kv) => Buffer.from(kv.key).toString());
  }

  /** As a program makes it that uses etcd's concurrency package: the name, and its lease. */
  async function joinAsGo(name: string): Promise<Buffer> {
    const lease = raw.client.lease!.id;
    const key = Buffer.from(`${name}/${lease.toString(16)}`);
    await raw.client.txn({ success: [{ requestPut: { key, lease } }] });
    return key;
  }

  const leave = (key: Buffer) => raw.client.txn({ success: [{ requestDeleteRange: { key } }] });

  test('a lock is a key under the lease of its client, below the name', async () => {
    await locks.lock('/go/one').run(async () => {
      const [key, ...others] = await keysBelow('/go/one/');
      expect(others).toEqual([]);
      expect(key).toMatch(new RegExp(`^/go/one/${OWN}$`));
      const { kvs } = await raw.client.range({ key: Buffer.from(key!) });
      expect(key).toContain(`/${kvs[0]!.lease.toString(16)}-`);
    });
    expect(await keysBelow('/go/one/')).toEqual([]);
  });

  test.each(['lock', 'fairLock', 'semaphore'] as const)(
    'many acquisitions of a %s use few keys: the store keeps the name of each until it is compacted',
    async (kind) => {
      const name = `/go/often ${kind}`;
      const key = Buffer.from(`${name}/`);
      const made = new Set<string>();
      const watch = raw.client.watch({
        key,
        rangeEnd: endOfPrefix(key),
        onEvents: (events) => events.forEach(({ kv }) => made.add(Buffer.from(kv!.key).toString())),
        onGap: () => undefined,
        onOver: () => undefined,
      });
      await watch.ready;
      const lock = kind === 'semaphore' ? locks.semaphore(name, { permits: 2 }) : locks[kind](name);
      const take = (): Promise<Hold> => lock.acquire();
      for (let count = 0; count < 20; count += 1) await (await take()).release();
      const first = await take();
      const second = take();
      if (kind !== 'semaphore') await first.release();
      await (await second).release();
      await first.release();
      await waitFor('the store has told of a key', () => made.size > 0);
      // Two that stand at the same time, and a third where the release of one is on its way when the next one joins.
      expect(made.size).toBeLessThanOrEqual(3);
      watch.end();
    },
  );

  test('a name without a slash in front is below our own prefix, and its slashes are no levels', async () => {
    await locks.fairLock('a b/c').run(async () => {
      const [key] = await keysBelow('/holdfast/fairLock/');
      expect(key).toMatch(new RegExp(`^/holdfast/fairLock/a%20b%2Fc/${OWN}$`));
    });
  });

  test('sides and permits are in the key', async () => {
    await locks.readWriteLock('/go/rw').read.run(async () => {
      expect((await keysBelow('/go/rw/'))[0]).toMatch(new RegExp(`^/go/rw/read/${OWN}$`));
    });
    await locks.semaphore('/go/sem', { permits: 5 }).run(
      async () => {
        expect((await keysBelow('/go/sem/'))[0]).toMatch(new RegExp(`^/go/sem/${OWN}-2of5$`));
      },
      { permits: 2 },
    );
  });

  test('a lock waits for a key of another program, and a single attempt behind it leaves no key', async () => {
    const key = await joinAsGo('/go/two');
    expect(await locks.lock('/go/two').tryAcquire()).toBeNull();
    expect(await keysBelow('/go/two/')).toEqual([key.toString()]);
    const waiting = locks.lock('/go/two').acquire();
    await waitFor('it stands in line', async () => (await keysBelow('/go/two/')).length === 2);
    const left = await leave(key);
    const hold = await waiting;
    expect(hold.fence / 64n).toBeGreaterThanOrEqual(left.header!.revision);
    await hold.release();
  });

  test('a waiter whose key is deleted joins again, and a holder loses its hold', async () => {
    const key = await joinAsGo('/go/three');
    const waiting = locks.fairLock('/go/three').acquire();
    const own = await waitFor('it stands in line', async () =>
      (await keysBelow('/go/three/')).find((one) => one !== key.toString()),
    );
    await leave(Buffer.from(own));
    await leave(key);
    const hold = await waiting;
    const [held] = await keysBelow('/go/three/');
    const lost = new Promise((resolve) => {
      hold.lost.addEventListener('abort', resolve);
    });
    // Also before the hold is a second old, from when on its key is watched: the watch then finds no key.
    await leave(Buffer.from(held!));
    await lost;
    await expect(hold.release()).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });

  test('a leader and its followers in another program are in one line; a text is proclaimed as it is', async () => {
    const leader = await locks.election('/go/office').campaign({ value: 'node-1' });
    const key = Buffer.from('/go/office/');
    const read = async () => (await raw.client.range({ key, rangeEnd: endOfPrefix(key) })).kvs;
    expect(Buffer.from((await read())[0]!.value).toString()).toBe('node-1');
    await leader.proclaim('node-1 is busy');
    const [kv] = await read();
    expect(Buffer.from(kv!.value).toString()).toBe('node-1 is busy');
    expect(kv!.version).toBe(2n);
    const follower = await joinAsGo('/go/office');
    await leader.release();
    expect((await locks.election('/go/office').leader())?.owner).toContain(raw.client.lease!.id.toString(16));
    await leave(follower);
  });

  test('the inspector lists holders of any program, and takes a hold away', async () => {
    const key = await joinAsGo('/go/listed');
    await using hold = await locks.lock('plain').acquire();
    const seen: Sighting[] = [];
    for await (const one of locks.inspector.list()) seen.push(one);
    expect(seen.map(({ kind, name }) => `${kind} ${name}`).toSorted()).toEqual([
      'lock /go/listed',
      'lock plain',
    ]);
    const foreign = seen.find(({ name }) => name === '/go/listed')!.holders[0]!;
    expect(foreign.program).toBe('other');
    expect(await locks.inspector.forceRelease('lock', '/go/listed', { owner: 'x@1' })).toBe(false);
    expect(await locks.inspector.forceRelease('lock', '/go/listed', { owner: foreign.owner })).toBe(true);
    expect(await keysBelow(key.toString())).toEqual([]);
    await hold.release();
  });

  test('the inspector tells of changes', async () => {
    const heard: unknown[] = [];
    const unwatch = await locks.inspector.changes((change) => heard.push(change));
    await locks.lock('changed').run(() => undefined);
    await waitFor('the change is reported', () => heard.length >= 2);
    expect(heard).toContainEqual({ what: 'name', kind: 'lock', name: 'changed' });
    unwatch();
  });
});
