import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  type Change,
  permission,
  type Sighting,
  zookeeper,
  type ZooKeeperOptions,
  type ZooKeeperSynchronizers,
} from 'holdfast/zookeeper';
import { startTcpProxy } from '../../../fixtures/network/tcp-proxy.ts';
import { waitFor } from '../../../fixtures/wait-for.ts';
import { describeZooKeeper } from '../../../fixtures/zookeeper/zookeeper-jars.ts';
import { startZooKeeper, type ZooKeeperServer } from '../../../fixtures/zookeeper/zookeeper-server.ts';
import { openClient } from '../client/open-client.ts';

/** As Java makes them. */
const JAVA = '0867c787-9f58-4352-a2f8-dcf703074199';

describeZooKeeper('the inspector of ZooKeeper', { timeout: 30_000 }, () => {
  let server!: ZooKeeperServer;
  let cases = 0;
  beforeAll(async () => {
    server = await startZooKeeper();
  }, 60_000);
  afterAll(() => server?.stop(), 60_000);

  /** Clients in a namespace of their own: each test sees its own nodes alone. */
  function space() {
    const namespace = `space${++cases}`;
    const open = (options: Partial<ZooKeeperOptions> = {}): ZooKeeperSynchronizers => {
      const locks = zookeeper({ servers: server.address, namespace, sessionMs: 10_000, ...options });
      onTestFinished(() => locks.close());
      return locks;
    };
    return { open, raw: openClient(server.address), top: `/${namespace}` };
  }

  async function listed({ inspector }: ZooKeeperSynchronizers, prefix = ''): Promise<readonly Sighting[]> {
    const all: Sighting[] = [];
    for await (const sighting of inspector.list({ prefix })) all.push(sighting);
    return all.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  test('lists what is held at any path and below our own folder, once each, and nothing that is free', async () => {
    const { open } = space();
    const [locks, other] = [open(), open()];
    await locks.lock('/jobs/nightly').acquire();
    await locks.fairLock('plain name').acquire();
    await locks.readWriteLock('/jobs/deep/rw').read.acquire();
    await locks.semaphore('/jobs/seats', { permits: 2 }).acquire();
    await locks.election('/jobs/leader').campaign({ value: 'ann' });
    await locks.monitor('guarded', { initial: 1 }).run((m) => m.set(2));
    await (await locks.lock('/jobs/free').acquire()).release();
    await locks.latch('gate').trySetCount(1);
    const seen = await listed(other);
    expect(seen.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'readWriteLock /jobs/deep/rw',
      'election /jobs/leader',
      'lock /jobs/nightly',
      'semaphore /jobs/seats',
      'fairLock plain name',
    ]);
    expect((await listed(other, '/jobs/d')).map(({ name }) => name)).toEqual(['/jobs/deep/rw']);
    expect((await listed(other, '/jobs')).length).toBe(4);
    expect((await listed(other, 'plain')).map(({ name }) => name)).toEqual(['plain name']);
    expect(await listed(other, '/nothing')).toEqual([]);
  });

  test('a lock that is called locks is a lock', async () => {
    const { open } = space();
    const locks = open();
    await locks.lock('/app/locks').acquire();
    expect((await listed(locks)).map(({ kind, name }) => `${kind} ${name}`)).toEqual(['lock /app/locks']);
  });

  test('describes each kind, and answers null for a kind that is not there', async () => {
    const { open } = space();
    const [locks, other] = [open(), open()];
    const { inspector } = other;
    const hold = await locks.lock('/x').acquire();
    const waiting = other.lock('/x').acquire();
    await waitFor('a waiter', async () => (await inspector.describe('lock', '/x'))?.waiters.count === 1);
    expect(await inspector.describe('lock', '/x')).toMatchObject({
      kind: 'lock',
      name: '/x',
      holders: [{ program: 'holdfast', count: 1, remainingMs: Infinity }],
      waiters: { count: 1, counts: 'fleet' },
    });
    for (const kind of ['readWriteLock', 'semaphore', 'latch', 'barrier', 'election', 'monitor'] as const)
      expect([kind, await inspector.describe(kind, '/x')]).toEqual([kind, null]);
    await hold.release();
    await (await waiting).release();
    await locks.latch('/count').trySetCount(3);
    expect(await inspector.describe('latch', '/count')).toMatchObject({ count: 3 });
    await using term = await locks.election('/el').campaign({ value: 'ann' });
    expect(await inspector.describe('election', '/el')).toMatchObject({ value: 'ann' });
    expect(term.value).toBe('ann');
    await locks.monitor('m', { initial: 1 }).run((m) => m.set(2));
    expect(await inspector.describe('monitor', 'm')).toMatchObject({ state: 2, holders: [] });
    await using permit = await locks.semaphore('/s', { permits: 3 }).acquire({ permits: 2 });
    expect(await inspector.describe('semaphore', '/s')).toMatchObject({ permits: 3, available: 1 });
    expect(permit.permits).toBe(2);
    await expect(inspector.describe('permitSemaphore', 'x')).rejects.toMatchObject({ code: 'BAD_ARGUMENT' });
  });

  test('what a client says about itself is a node that ends with its session, and no list shows it', async () => {
    const { open, raw, top } = space();
    const [locks, other] = [open({ name: 'web' }), open()];
    await locks.lock('/jobs/a').acquire();
    await locks.semaphore('seats', { permits: 2 }).acquire();
    const namesIn = async (kind: 'lock' | 'semaphore', name: string) =>
      (await other.inspector.describe(kind, name))!.holders.map(({ client }) => client?.name);
    await waitFor('it is announced', async () => (await namesIn('lock', '/jobs/a'))[0] === 'web');
    expect(await namesIn('semaphore', 'seats')).toEqual(['web']);
    const { names } = await raw.getChildren(`${top}/holdfast/announced`);
    expect(names).toEqual([expect.stringMatching(/^0x[0-9a-f]+-[0-9a-f]{32}$/)]);
    expect((await raw.exists(`${top}/holdfast/announced/${names[0]!}`))?.ephemeralOwner).not.toBe(0n);
    expect((await listed(other)).map(({ name }) => name)).toEqual(['/jobs/a', 'seats']);
    await locks.close();
    await waitFor('it is gone', async () => {
      const folder = await raw.exists(`${top}/holdfast/announced`);
      return folder === undefined || folder.numChildren === 0;
    });
  });

  test('a client that may not write below our own folder locks at its path, without a name', async () => {
    const { open, raw, top } = space();
    await raw.create(top);
    await raw.create(`${top}/holdfast`, undefined, 'persistent', [
      { permissions: permission.read, scheme: 'world', id: 'anyone' },
    ]);
    const [locks, other] = [open({ name: 'web' }), open()];
    const troubles: unknown[] = [];
    locks.on('trouble', ({ error }) => troubles.push(error));
    await locks.lock('/jobs/a').acquire();
    // By the time that a client which acquired later is announced elsewhere, this one has tried.
    const { open: openElsewhere } = space();
    const [later, observer] = [openElsewhere(), openElsewhere()];
    await later.lock('/jobs/a').acquire();
    await waitFor('a later client is announced', async () => {
      return (await observer.lock('/jobs/a').holder())?.client !== undefined;
    });
    const holder = await other.lock('/jobs/a').holder();
    expect([holder?.program, holder?.client, troubles]).toEqual(['holdfast', undefined, []]);
  });

  test('what Curator holds is shown as that of Curator, without a fence, and can be taken away by its owner', async () => {
    const { open, raw, top } = space();
    const { inspector } = open();
    for (const path of [top, `${top}/mutex`, `${top}/seats`, `${top}/seats/locks`, `${top}/seats/leases`])
      await raw.create(path);
    const ticket = (folder: string, mark: string) =>
      raw.create(`${top}${folder}/_c_${JAVA}-${mark}-`, Buffer.from('127.0.0.1'), 'ephemeral-sequential');
    const { path } = await ticket('/mutex', 'lock');
    await ticket('/seats/leases', 'lease');
    const seen = (await inspector.describe('lock', '/mutex'))!;
    const heldForMs: unknown = expect.any(Number);
    expect(seen.holders).toEqual([
      { owner: JAVA, program: 'curator', remainingMs: Infinity, count: 1, heldForMs },
    ]);
    expect(await inspector.describe('semaphore', '/seats')).toMatchObject({
      holders: [{ owner: JAVA, program: 'curator' }],
      permits: Infinity,
    });
    expect((await listed(open())).map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'lock /mutex',
      'semaphore /seats',
    ]);
    expect(await inspector.forceRelease('lock', '/mutex', { owner: 'another' })).toBe(false);
    expect(await inspector.forceRelease('lock', '/mutex', { owner: JAVA })).toBe(true);
    expect(await raw.exists(path)).toBeUndefined();
    expect(await inspector.forceRelease('semaphore', '/seats', { owner: JAVA })).toBe(true);
    expect((await raw.getChildren(`${top}/seats/leases`)).names).toEqual([]);
  });

  test('takes the hold that was seen, and no newer one; its holder hears of it, the next fence is higher', async () => {
    const { open } = space();
    const [locks, other] = [open(), open()];
    for (const kind of ['lock', 'fairLock'] as const) {
      const first = await locks[kind]('/broken').acquire();
      // Watched from the first renewal on: what `lost` waits for is not this test's subject.
      const [holder] = (await other.inspector.describe(kind, '/broken'))!.holders;
      const { owner, fence } = holder!;
      expect.assert(fence !== undefined);
      expect(await other.inspector.forceRelease(kind, '/broken', { owner, fence: fence + 64n })).toBe(false);
      expect(await other.inspector.forceRelease(kind, '/broken', { owner, fence })).toBe(true);
      const second = await other[kind]('/broken').acquire();
      expect(second.fence).toBeGreaterThan(first.fence);
      expect(await other.inspector.forceRelease(kind, '/broken', { owner, fence })).toBe(false);
      await second.release();
      await first.release().catch(() => undefined);
    }
  });

  test('a hold of its own that it takes away is lost at once', async () => {
    const { open } = space();
    const locks = open();
    const hold = await locks.lock('/own').acquire();
    const [holder] = (await locks.inspector.describe('lock', '/own'))!.holders;
    expect(await locks.inspector.forceRelease('lock', '/own', { owner: holder!.owner })).toBe(true);
    expect(hold.lost.aborted).toBe(true);
  });

  test('reports changes with the name, of other clients too, and of no other node', async () => {
    const { open, raw, top } = space();
    const [locks, other] = [open(), open()];
    const told: Change[] = [];
    const stop = await other.inspector.changes((change) => told.push(change));
    await (await locks.lock('/a/b').acquire()).release();
    await waitFor('a change of the lock', () =>
      told.some((change) => change.what === 'name' && change.kind === 'lock' && change.name === '/a/b'),
    );
    await (await locks.fairLock('plain').acquire()).release();
    await waitFor('a change of the fair lock', () =>
      told.some((change) => change.what === 'name' && change.kind === 'fairLock' && change.name === 'plain'),
    );
    await locks.latch('gate').trySetCount(1);
    await waitFor('a change of the latch', () =>
      told.some((change) => change.what === 'name' && change.kind === 'latch' && change.name === 'gate'),
    );
    expect(new Set(told.map((change) => change.what === 'name' && change.kind))).toEqual(
      new Set(['lock', 'fairLock', 'latch']),
    );
    // Its answer comes behind all events of what was done before.
    await other.lock('/c').waiters();
    told.length = 0;
    await raw.create(`${top}/unrelated`);
    stop();
    await (await locks.lock('/a/b').acquire()).release();
    await other.lock('/c').waiters();
    expect(told).toEqual([]);
  });

  test.each(['a connection that broke', 'a session that has ended'])(
    'after %s anything may have changed, and the inspector reports changes again',
    async (gap) => {
      const { open } = space();
      const network = await startTcpProxy(server);
      onTestFinished(() => network.stop());
      const watcher = open({ servers: `127.0.0.1:${network.port}`, sessionMs: 1000 });
      const told: Change[] = [];
      await watcher.inspector.changes((change) => told.push(change));
      const hold = await watcher.lock('/held').acquire();
      told.length = 0;
      if (gap === 'a connection that broke') network.reset();
      else {
        network.blackHole();
        await waitFor('the session has ended', () => hold.lost.aborted);
        await network.heal();
      }
      await waitFor('a report of the gap', () => told.some(({ what }) => what === 'anything'));
      expect(hold.lost.aborted).toBe(gap === 'a session that has ended');
      await (await open().lock('/after').acquire()).release();
      await waitFor('a report of the next change', () =>
        told.some((change) => change.what === 'name' && change.name === '/after'),
      );
    },
  );
});
