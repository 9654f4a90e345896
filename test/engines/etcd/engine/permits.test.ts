import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { etcd, type EtcdSynchronizers } from 'holdfast/etcd';
import { describeEtcd } from '../../../fixtures/etcd/describe-etcd.ts';
import { type EtcdServer, startEtcd } from '../../../fixtures/etcd/etcd-server.ts';
import { waitFor } from '../../../fixtures/wait-for.ts';

describeEtcd('permits in etcd', { timeout: 60_000 }, () => {
  let server!: EtcdServer;
  beforeAll(async () => {
    server = await startEtcd();
  }, 60_000);
  afterAll(() => server?.stop(), 60_000);

  function open(): EtcdSynchronizers {
    const locks = etcd({ endpoints: server.address, sessionMs: 2000 });
    onTestFinished(() => locks.close());
    return locks;
  }

  /** How many seconds were granted to each lease that stands, the shortest first. */
  async function leases(): Promise<readonly number[]> {
    const { leases: all = [] } = await server.ask('lease/leases');
    const granted = (all as readonly { readonly ID: string }[]).map(async ({ ID }) =>
      Number((await server.ask('lease/timetolive', { ID }))['grantedTTL']),
    );
    return (await Promise.all(granted)).toSorted((a, b) => a - b);
  }

  /** Those of five seconds. */
  async function leaseIds(): Promise<readonly string[]> {
    const { leases: all = [] } = await server.ask('lease/leases');
    const ids: string[] = [];
    for (const { ID } of all as readonly { readonly ID: string }[])
      if ((await server.ask('lease/timetolive', { ID }))['grantedTTL'] === '5') ids.push(ID);
    return ids;
  }

  test('outlive the session of their client, and end by a lease of their own, which a release ends too', async () => {
    const [taker, other] = [open(), open()];
    const [mine, theirs] = [taker, other].map((locks) => locks.permitSemaphore('rooms', { permits: 3 }));
    const { id } = await mine!.acquire({ leaseMs: 60_000 });
    const short = await mine!.acquire({ leaseMs: 3000 });
    await theirs!.available();
    await waitFor('the leases', async () => String(await leases()) === '2,2,3,60');
    await taker.close();
    expect(await theirs!.available()).toBe(1);
    expect(await theirs!.extend(short.id, 90_500)).toBe(true);
    expect(await theirs!.extend(short.id, 1000)).toBe(true);
    await waitFor('the longer lease', async () => String(await leases()) === '2,60,91');
    expect(await theirs!.release(short.id)).toBe(true);
    expect(await theirs!.release(id)).toBe(true);
    await waitFor('the leases to go', async () => String(await leases()) === '2');
    expect(await theirs!.available()).toBe(3);
  });

  test('are extended and released by their ids in a program that has done nothing else yet', async () => {
    const { id } = await open().permitSemaphore('desks', { permits: 1 }).acquire({ leaseMs: 60_000 });
    const inNewProgram = () => open().permitSemaphore('desks', { permits: 1 });
    expect(await inNewProgram().extend(id, 90_000)).toBe(true);
    expect(await inNewProgram().release(id)).toBe(true);
    expect(await inNewProgram().release(id)).toBe(false);
    expect(await inNewProgram().extend(id, 90_000)).toBe(false);
  });

  test('are not those keys that other programs have made: none of these is extended, and its lease stays', async () => {
    const { ID: lease } = (await server.ask('lease/grant', { TTL: 600 })) as { readonly ID: string };
    const [key, value] = ['/desks/worker', 'x'].map((text) => Buffer.from(text).toString('base64'));
    const { header } = await server.ask('kv/put', { key, value, lease });
    const { revision } = header as { readonly revision: string };
    const desks = open().permitSemaphore('/desks', { permits: 2 });
    expect(await desks.extend(`worker@${revision}`, 5000)).toBe(false);
    const { kvs } = (await server.ask('kv/range', { key })) as { readonly kvs: readonly object[] };
    expect(kvs).toMatchObject([{ lease }]);
    await server.ask('lease/revoke', { ID: lease });
  });

  test('keep their lease when they are extended for a time that is not longer', async () => {
    const permits = open().permitSemaphore('renewed', { permits: 1 });
    const { id } = await permits.acquire({ leaseMs: 5000 });
    const [lease] = await leaseIds();
    const left = async () => Number((await server.ask('lease/timetolive', { ID: lease }))['TTL']);
    await waitFor('some of the time is over', async () => (await left()) <= 3);
    expect(await permits.extend(id, 5000)).toBe(true);
    expect(await left()).toBeGreaterThan(3);
    expect(await leaseIds()).toEqual([lease]);
    expect(await permits.release(id)).toBe(true);
  });

  test('are listed apart from those of a semaphore, at a name that is a key too', async () => {
    const locks = open();
    await locks.permitSemaphore('/seats', { permits: 2 }).acquire();
    await locks.semaphore('/chairs', { permits: 2 }).acquire();
    const seen = [];
    for await (const { kind, name } of locks.inspector.list({ prefix: '/' })) seen.push(`${kind} ${name}`);
    expect(seen.toSorted()).toEqual(['permitSemaphore /seats', 'semaphore /chairs']);
  });
});
