import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type EtcdSynchronizers, etcd } from 'holdfast/etcd';
import { StoreFullError } from '../../../../src/core/failures/store-full-error.ts';
import { SessionEpoch } from '../../../../src/engines/etcd/lines/session-epoch.ts';
import { describeEtcd } from '../../../fixtures/etcd/describe-etcd.ts';
import { type EtcdServer, startEtcd } from '../../../fixtures/etcd/etcd-server.ts';
import { GrpcProxy } from '../../../fixtures/etcd/grpc-proxy.ts';
import { waitFor } from '../../../fixtures/wait-for.ts';
import { raiseAlarm, ticketsOf } from '../../../faults/etcd/injections.ts';
import { openEtcdClient } from '../client/open-client.ts';

const QUOTA_BYTES = 1024 * 1024;
const CALLS = 30;
const VALUE_BYTES = 50_000;

describeEtcd('a database of etcd that is full', { timeout: 60_000 }, () => {
  let server!: EtcdServer;
  beforeAll(async () => {
    server = await startEtcd();
  }, 60_000);
  afterAll(() => server?.stop(), 60_000);

  async function open(endpoints = server.address): Promise<EtcdSynchronizers> {
    const locks = etcd({ endpoints });
    onTestFinished(() => locks.close());
    // Nothing is held yet: a client that holds something announces itself.
    await locks.lock('other').isLocked();
    return locks;
  }

  /** Disarmed by the end of the test at the latest. */
  async function fill(): Promise<() => Promise<void>> {
    const disarm = await raiseAlarm(server, server);
    onTestFinished(disarm);
    return disarm;
  }

  describe('refuses whatever is new, and says why', () => {
    const newcomers: readonly (readonly [string, (locks: EtcdSynchronizers) => Promise<unknown>])[] = [
      ['a lock', (locks) => locks.lock('full').acquire()],
      ['a single attempt', (locks) => locks.lock('full').tryAcquire()],
      ['a fair lock', (locks) => locks.fairLock('full').acquire()],
      ['a reader', (locks) => locks.readWriteLock('full').read.acquire()],
      ['a semaphore', (locks) => locks.semaphore('full', { permits: 2 }).acquire()],
      ['a permit', (locks) => locks.permitSemaphore('full', { permits: 2 }).acquire()],
      ['an election', (locks) => locks.election('full').campaign({ value: 'me' })],
      ['a latch', (locks) => locks.latch('full').trySetCount(2)],
      ['a barrier', (locks) => locks.barrier('full', { parties: 2 }).arrive()],
      ['a monitor', (locks) => locks.monitor('full', { initial: 0 }).run(() => undefined)],
    ];

    test.each(newcomers)('%s', async (_, ask) => {
      const locks = await open();
      const disarm = await fill();
      const error: unknown = await ask(locks).catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(StoreFullError);
      expect(error).toMatchObject({ code: 'ENGINE', retryable: true, engine: 'etcd' });
      expect(String(error)).toMatch(/"full": the database of etcd has reached its quota .* disarm the alarm/);
      await disarm();
      await locks.lock('full').run(() => undefined);
    });
  });

  test('is not asked to take away a ticket that it has refused', async () => {
    const proxy = await GrpcProxy.start(server);
    onTestFinished(() => proxy.stop());
    const locks = await open(proxy.address);
    const troubles: unknown[] = [];
    locks.on('trouble', (trouble) => troubles.push(trouble));
    const disarm = await fill();
    const { calls } = proxy;
    await expect(locks.lock('full').acquire()).rejects.toThrow('quota');
    // Behind whatever else the acquisition would ask.
    expect(await locks.lock('other').isLocked()).toBe(false);
    // The join, the look for its ticket, and this.
    expect([proxy.calls - calls, troubles]).toEqual([3, []]);
    await disarm();
    await locks.lock('full').run(() => undefined);
  });

  test('keeps holds and positions in line: a release lets the next one in', async () => {
    const [one, two] = [await open(), await open()];
    const hold = await one.lock('/full/kept').acquire();
    const waiting = two.lock('/full/kept').acquire();
    await waitFor('two tickets', async () => (await ticketsOf(server, '/full/kept')).length === 2);
    await fill();
    await hold.release();
    await (await waiting).release();
    expect(await ticketsOf(server, '/full/kept')).toEqual([]);
  });

  test('does not end the wait of an owner whose ticket was deleted: it joins again when there is room', async () => {
    const [one, two] = [await open(), await open()];
    const hold = await one.lock('/full/again').acquire();
    const waiting = two.lock('/full/again').acquire();
    await waitFor('two tickets', async () => (await ticketsOf(server, '/full/again')).length === 2);
    const [, second = ''] = await ticketsOf(server, '/full/again');
    const disarm = await fill();
    await server.ask('kv/deleterange', { key: Buffer.from(second).toString('base64') });
    await hold.release();
    // Not in line, and so asked for again as long as there is no room.
    expect(await ticketsOf(server, '/full/again')).toEqual([]);
    await disarm();
    await (await waiting).release();
  });

  test('is asked again to forbid a join whose answer was lost', async () => {
    await using one = openEtcdClient(server.address);
    const { id } = await one.client.ready();
    const disarm = await fill();
    const epoch = new SessionEpoch('epoch', id);
    await expect(epoch.advance(one.client)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await disarm();
    await epoch.advance(one.client);
    expect(epoch.revision).toBeGreaterThan(0n);
  });

  describe('refuses nothing that it has carried out', () => {
    const value = 'x'.repeat(VALUE_BYTES);
    type Call = () => Promise<unknown>;
    const calls: readonly (readonly [string, (locks: EtcdSynchronizers, name: string) => Promise<Call>])[] = [
      ['join', async (locks, name) => () => locks.election(name).campaign({ value })],
      [
        'proclamation',
        async (locks, name) => {
          const term = await locks.election(name).campaign({ value: 'old' });
          return () => term.proclaim(value);
        },
      ],
      [
        'change of a document',
        async (locks, name) => {
          const monitor = locks.monitor(name, { initial: 'old' });
          await monitor.run(() => undefined);
          return () => monitor.run((m) => m.set(value));
        },
      ],
    ];

    test.each(calls)('no %s', async (_, prepare) => {
      const argv = ['--quota-backend-bytes', String(QUOTA_BYTES), '--backend-batch-limit', '1'];
      await using small = await startEtcd({ argv });
      const locks = await open(small.address);
      const names = Array.from({ length: CALLS }, (__, at) => `full-${at}`);
      const prepared = await Promise.all(names.map((name) => prepare(locks, name)));
      // The member lets all of them in at once, and its database crosses the quota while it carries them out.
      const outcomes = await Promise.allSettled(prepared.map((call) => call()));
      const { errors } = (await small.ask('maintenance/status')) as { readonly errors?: readonly string[] };
      expect(String(errors)).toContain('NOSPACE');
      const written = await largeKeys(small);
      for (const [at, outcome] of outcomes.entries()) {
        const isWritten = written.some((key) => key.split('/').includes(names[at]!));
        expect(isWritten, names[at]).toBe(outcome.status === 'fulfilled');
        expect(outcome).toSatisfy(isAnswerOrFull);
      }
    });

    function isAnswerOrFull(outcome: PromiseSettledResult<unknown>): boolean {
      return outcome.status === 'fulfilled' || outcome.reason instanceof StoreFullError;
    }

    /** The keys with a value as large as that of the calls. */
    async function largeKeys(of: EtcdServer): Promise<readonly string[]> {
      const all = Buffer.from([0]).toString('base64');
      const { kvs = [] } = (await of.ask('kv/range', { key: all, range_end: all })) as {
        readonly kvs?: readonly { readonly key: string; readonly value?: string }[];
      };
      return kvs
        .filter(({ value: held = '' }) => held.length > VALUE_BYTES)
        .map(({ key }) => Buffer.from(key, 'base64').toString());
    }
  });
});
