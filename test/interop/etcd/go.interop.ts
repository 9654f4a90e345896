import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { etcd, type EtcdOptions, type EtcdSynchronizers } from '../../../src/engines/etcd/index.ts';
import { type EtcdServer, startEtcd } from '../../fixtures/etcd/etcd-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { NodeWaits } from '../node-waits.ts';
import { describeGo } from './describe-go.ts';
import { GoClients, type GoSession } from './go-clients.ts';

/** Long enough for a waiter of the other side to come in, if nothing kept it out. */
const IN_VAIN_MS = 500;

describeGo('beside clientv3/concurrency of Go', () => {
  let server!: EtcdServer;
  let go!: GoClients;
  let locks!: EtcdSynchronizers;
  const waits = new NodeWaits();
  let names = 0;
  beforeAll(async () => {
    server = await startEtcd();
    go = await GoClients.start(server.address);
    locks = open();
  });
  afterAll(async () => {
    await locks?.close();
    await go?.kill();
    await server?.stop();
  });

  function open(options: Partial<EtcdOptions> = {}): EtcdSynchronizers {
    const opened = etcd({ endpoints: server.address, sessionMs: 20_000, ...options });
    waits.listenTo(opened);
    return opened;
  }

  const newName = (): string => `/interop/name-${(names += 1)}`;

  async function keysBelow(name: string): Promise<readonly string[]> {
    const key = Buffer.from(`${name}/`);
    const rangeEnd = Buffer.from(`${name}0`);
    const { kvs = [] } = (await server.ask('kv/range', {
      key: key.toString('base64'),
      range_end: rangeEnd.toString('base64'),
    })) as { readonly kvs?: readonly { readonly key: string }[] };
    return kvs.map((kv) => Buffer.from(kv.key, 'base64').toString());
  }

  /** Begins what waits in Go, and resolves once it has one more key. */
  async function goWaits<T>(
    name: string,
    begin: () => Promise<T>,
  ): Promise<{ readonly outcome: Promise<T> }> {
    const keysOfGo = async (): Promise<number> =>
      (await keysBelow(name)).filter((key) => !/-[0-9a-f]{32}[:.]/.test(key)).length;
    const before = await keysOfGo();
    const outcome = begin();
    outcome.catch(() => undefined);
    await waitFor('Go waits', async () => (await keysOfGo()) > before);
    return { outcome };
  }

  async function isPending(promise: Promise<unknown>): Promise<boolean> {
    const later = new Promise((resolve) => setTimeout(resolve, IN_VAIN_MS, 'pending'));
    return (await Promise.race([promise.then(() => 'over'), later])) === 'pending';
  }

  test('the page names the version of the Go packages', () => {
    const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
    const [, version = ''] = /client\/v3 (v[\d.]+)/.exec(read('../go/etcd/go.mod')) ?? [];
    expect(version).not.toBe('');
    expect(read('../../../docs/wire/etcd.md')).toContain(version);
  });

  test('a mutex: Go holds, Node waits, then Node holds, and Go waits', async () => {
    const name = newName();
    const session = await go.open();
    const first = BigInt(String(await session.call('lock', name)));
    expect(await locks.lock(name).tryAcquire()).toBeNull();
    expect(await locks.lock(name).isLocked()).toBe(true);
    const { outcome } = await waits.begin(name, () => locks.lock(name).acquire());
    expect(await isPending(outcome)).toBe(true);
    await session.call('unlock', name);
    const hold = await outcome;
    // A fence of a lock is the revision, and a count of hand-overs behind it.
    expect(hold.fence / 64n).toBeGreaterThan(first);
    expect(await session.call('tryLock', name)).toBe(false);
    const waiting = await goWaits(name, () => session.call('lock', name));
    expect(await isPending(waiting.outcome)).toBe(true);
    await hold.release();
    expect(BigInt(String(await waiting.outcome))).toBeGreaterThan(hold.fence / 64n);
    expect(await session.call('isOwner', name)).toBe(true);
    await session.call('unlock', name);
    expect(await keysBelow(name)).toEqual([]);
  });

  test('one line: those of both sides are served in the order in which they came', async () => {
    const name = newName();
    const hold = await locks.fairLock(name).acquire();
    const order: string[] = [];
    const ends: Promise<unknown>[] = [];
    for (const [at, side] of ['go', 'node', 'go', 'node', 'node', 'go'].entries()) {
      const note = (): void => void order.push(`${side} ${at}`);
      if (side === 'go') {
        const session = await go.open();
        const { outcome } = await goWaits(name, () => session.call('lock', name));
        ends.push(outcome.then(note).then(() => session.call('unlock', name)));
      } else ends.push((await waits.begin(name, () => locks.fairLock(name).run(note))).outcome);
      await waitFor('one more key', async () => (await keysBelow(name)).length === at + 2);
    }
    await hold.release();
    await Promise.all(ends);
    expect(order).toEqual(['go 0', 'node 1', 'go 2', 'node 3', 'node 4', 'go 5']);
  });

  test('a waiter of either side that gives up delays no other behind it', async () => {
    const name = newName();
    const session = await go.open();
    const hold = await locks.fairLock(name).acquire();
    const gone = await goWaits(name, () => session.call('lock', name, { timeoutMs: 700 }));
    const waiting = await waits.begin(name, () => locks.fairLock(name).acquire());
    await expect(gone.outcome).rejects.toThrow(/deadline exceeded/);
    await hold.release();
    const next = await waiting.outcome;
    await expect(locks.fairLock(name).acquire({ timeoutMs: 200 })).rejects.toMatchObject({
      code: 'ACQUIRE_TIMEOUT',
    });
    const last = await goWaits(name, () => session.call('lock', name));
    await next.release();
    await last.outcome;
    await session.call('unlock', name);
  });

  test('a key that is deleted by hand: hold.lost fires, and Go is in', async () => {
    const name = newName();
    const session = await go.open();
    const hold = await locks.lock(name).acquire();
    const lost = new Promise((resolve) => hold.lost.addEventListener('abort', resolve));
    const waiting = await goWaits(name, () => session.call('lock', name));
    const { key } = locks.check(hold);
    await server.ask('kv/deleterange', { key: Buffer.from(key).toString('base64') });
    await waiting.outcome;
    await lost;
    expect(hold.lost.reason).toMatchObject({ code: 'LEASE_LOST' });
    await session.call('unlock', name);
  });

  test('Node breaks what Go holds: Go is no longer the owner', async () => {
    const name = newName();
    const session = await go.open();
    await session.call('lock', name);
    expect(await locks.lock(name).forceRelease()).toBe(true);
    expect(await session.call('isOwner', name)).toBe(false);
    await using hold = await locks.lock(name).acquire();
    hold.throwIfLost();
  });

  test('the read-write lock of the recipes, in both directions', async () => {
    const name = newName();
    const [one, two] = [await go.open(), await go.open()];
    const lock = locks.readWriteLock(name);
    const read = await lock.read.acquire();
    await one.call('readLock', name);
    expect(await lock.write.tryAcquire()).toBeNull();
    const writer = await goWaits(name, () => two.call('writeLock', name));
    expect(await isPending(writer.outcome)).toBe(true);
    // A reader that comes behind a writer that waits waits too.
    const later = await waits.begin(name, () => lock.read.acquire());
    await read.release();
    expect(await isPending(writer.outcome)).toBe(true);
    await one.call('readUnlock', name);
    await writer.outcome;
    expect(await isPending(later.outcome)).toBe(true);
    await two.call('writeUnlock', name);
    await (await later.outcome).release();

    const write = await lock.write.acquire();
    const reader = await goWaits(name, () => one.call('readLock', name));
    const other = await goWaits(name, () => two.call('writeLock', name));
    expect(await isPending(reader.outcome)).toBe(true);
    // A reader under its own write keeps the key of the write: no other is in before both are released.
    const owner = locks.owner();
    await write.release();
    await reader.outcome;
    await one.call('readUnlock', name);
    await other.outcome;
    await two.call('writeUnlock', name);
    const outer = await lock.write.acquire({ owner });
    const inner = await lock.read.acquire({ owner });
    const behind = await goWaits(name, () => one.call('readLock', name));
    await outer.release();
    expect(await isPending(behind.outcome)).toBe(true);
    await inner.release();
    await behind.outcome;
    await one.call('readUnlock', name);
    expect(await keysBelow(name)).toEqual([]);
  });

  test('an election: candidates of both sides follow one another, and each hears what the other proclaims', async () => {
    const name = newName();
    const session = await go.open();
    const election = locks.election(name);
    await session.call('campaign', name, { value: 'go-1' });
    expect(await election.leader()).toMatchObject({ value: 'go-1' });
    const { outcome } = await waits.begin(name, () => election.campaign({ value: 'node-1' }));
    await session.call('proclaim', name, { value: 'go-2' });
    expect(await election.leader()).toMatchObject({ value: 'go-2' });
    await session.call('resign', name);
    const leadership = await outcome;
    expect(await session.call('leader', name)).toBe('node-1');
    await leadership.proclaim('node-2');
    expect(await session.call('leader', name)).toBe('node-2');
    const next = await goWaits(name, () => session.call('campaign', name, { value: 'go-3' }));
    expect(await isPending(next.outcome)).toBe(true);
    await leadership.release();
    await next.outcome;
    expect(await election.leader()).toMatchObject({ value: 'go-3' });
    await session.call('resign', name);
  });

  test.each(['killed', 'paused', 'revoked'] as const)(
    'a Go process that is %s while it holds: Node is in when its lease has ended, and not before',
    async (how) => {
      const name = newName();
      const other = await GoClients.start(server.address);
      onTestFinished(() => other.kill());
      const session = await other.open(2);
      await session.call('lock', name);
      const { outcome } = await waits.begin(name, () => locks.lock(name).acquire());
      if (how === 'killed') await other.kill();
      if (how === 'paused') await other.pause();
      if (how === 'revoked') await revoke(session);
      const hold = await outcome;
      expect(await keysBelow(name)).toHaveLength(1);
      if (how === 'paused') other.resume();
      const isOwner = how === 'killed' ? false : await session.call('isOwner', name);
      expect(isOwner).toBe(false);
      hold.throwIfLost();
      await hold.release();
    },
  );

  test('a lease of Node that is revoked by hand: hold.lost fires, Go is in, and Node goes on in another session', async () => {
    const name = newName();
    const own = open();
    onTestFinished(() => own.close());
    const session = await go.open();
    const hold = await own.lock(name).acquire();
    const lost = new Promise((resolve) => hold.lost.addEventListener('abort', resolve));
    const waiting = await goWaits(name, () => session.call('lock', name));
    const [, lease = ''] = /\/([0-9a-f]+)-[^/]*$/.exec(own.check(hold).key) ?? [];
    await server.ask('kv/lease/revoke', { ID: String(BigInt(`0x${lease}`)) });
    await waiting.outcome;
    await lost;
    expect(hold.lost.reason).toMatchObject({ code: 'LEASE_LOST' });
    const { outcome } = await waits.begin(name, () => own.lock(name).acquire());
    await session.call('unlock', name);
    await (await outcome).release();
  });

  function revoke({ lease }: GoSession): Promise<unknown> {
    return server.ask('kv/lease/revoke', { ID: String(BigInt(`0x${lease}`)) });
  }
});
