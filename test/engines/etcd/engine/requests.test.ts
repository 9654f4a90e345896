import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openProxiedEtcd, type ProxiedEtcd } from '../../../faults/etcd/proxied-etcd.ts';
import { ticketsOf } from '../../../faults/etcd/injections.ts';
import { describeEtcd } from '../../../fixtures/etcd/describe-etcd.ts';
import { type EtcdServer, startEtcd } from '../../../fixtures/etcd/etcd-server.ts';
import { waitFor } from '../../../fixtures/wait-for.ts';

const WAITERS = 40;
const CLIENTS = 4;
const SOON_MS = 30_000;

describeEtcd('the requests of the engine', { timeout: 60_000 }, () => {
  let server!: EtcdServer;
  beforeAll(async () => {
    server = await startEtcd();
  }, 60_000);
  afterAll(() => server?.stop(), 60_000);

  async function open(sessionMs?: number): Promise<ProxiedEtcd> {
    const client = await openProxiedEtcd([server], { ...(sessionMs !== undefined && { sessionMs }) });
    onTestFinished(() => client[Symbol.asyncDispose]());
    // Opens the session.
    await client.locks.lock('/flights/first').run(() => undefined);
    return client;
  }

  async function callsOf<T>({ proxies }: ProxiedEtcd, call: () => Promise<T>): Promise<[number, T]> {
    const before = proxies[0]!.calls;
    const answer = await call();
    return [proxies[0]!.calls - before, answer];
  }

  test.each(['lock', 'fairLock', 'read', 'write', 'semaphore', 'election'] as const)(
    'an uncontended %s is acquired in one round trip, and given back in another',
    async (kind) => {
      const client = await open(30_000);
      const { locks } = client;
      const name = `/flights/${kind}`;
      const [taking, hold] = await callsOf(client, () => {
        if (kind === 'read' || kind === 'write') return locks.readWriteLock(name)[kind].acquire();
        if (kind === 'semaphore') return locks.semaphore(name, { permits: 3 }).acquire({ permits: 2 });
        return kind === 'election' ? locks.election(name).campaign() : locks[kind](name).acquire();
      });
      const [givingBack] = await callsOf(client, () => hold.release());
      expect([taking, givingBack]).toEqual([1, 1]);
    },
  );

  test('a permit is three requests more, which give it a lease of its own', async () => {
    const client = await open(30_000);
    const [taking, permit] = await callsOf(client, () =>
      client.locks.permitSemaphore('/flights/permits', { permits: 3 }).acquire(),
    );
    expect(taking).toBe(4);
    await permit.release();
  });

  test('a single attempt at a lock that is held is one round trip, and leaves no key', async () => {
    const [holder, client] = [await open(30_000), await open(30_000)];
    const hold = await holder.locks.lock('/flights/held').acquire();
    const [asking, none] = await callsOf(client, () => client.locks.lock('/flights/held').tryAcquire());
    expect([asking, none]).toEqual([1, null]);
    expect(await ticketsOf(server, '/flights/held')).toHaveLength(1);
    await hold.release();
  });

  test(`${WAITERS} waiters send nothing but the heartbeats of their sessions`, async () => {
    const holder = await open();
    const clients = await Promise.all(Array.from({ length: CLIENTS }, () => open(3000)));
    const hold = await holder.locks.fairLock('/quiet').acquire();
    // Of fair locks each waiter stands in the line of the server.
    const waiting = clients.flatMap(({ locks }) =>
      Array.from({ length: WAITERS / CLIENTS }, () => locks.fairLock('/quiet').run(() => undefined)),
    );
    const settled = Promise.allSettled(waiting);
    const areInLine = async () => (await ticketsOf(server, '/quiet')).length === WAITERS + 1;
    await waitFor('all stand in line', areInLine, SOON_MS);
    const countsOf = (count: 'calls' | 'beats') => clients.map(({ proxies }) => proxies[0]![count]);
    // The last of them looks once more when its watch has begun.
    let beats = countsOf('beats');
    const haveBeaten = () => countsOf('beats').every((count, at) => count >= beats[at]! + 2);
    await waitFor('two heartbeats are over', haveBeaten, SOON_MS);
    const calls = countsOf('calls');
    // Longer than a session.
    beats = countsOf('beats').map((count) => count + 3);
    await waitFor('five more are over', haveBeaten, SOON_MS);
    expect(countsOf('calls')).toEqual(calls);
    // No herd: a release is heard by the next waiter alone, which lists the line once for its fence, and releases.
    await hold.release();
    expect((await settled).filter(({ status }) => status === 'rejected')).toEqual([]);
    const later = countsOf('calls').map((count, at) => count - calls[at]!);
    expect(later).toEqual(clients.map(() => (2 * WAITERS) / CLIENTS));
  });
});
