import assert from 'node:assert/strict';
import { LeaseLostError, type PermitSemaphore, type Synchronizers } from '../../index.ts';
import { BAD_EXTENSIONS } from '../cases/arguments/bad-arguments.ts';
import { type BadArgument, assertRejects, assertRejectsArgument } from '../harness/coded-error.ts';
import { exclusiveCases } from '../cases/acquiring/exclusive-cases.ts';
import { lossOf } from '../cases/losses/lease-cases.ts';
import { nameCases } from '../cases/arguments/name-cases.ts';
import { BAD_PERMITS, permitCases } from '../cases/acquiring/permit-cases.ts';
import { type Cases, needing, prefixed, suiteOf } from './suite.ts';

type PermitSemaphoreClient = Synchronizers<'permitSemaphore'>;

const make = (client: PermitSemaphoreClient, name: string, permits: number): PermitSemaphore =>
  client.permitSemaphore(name, { permits });

const BAD_IDS: readonly BadArgument[] = [
  { given: '', error: TypeError, names: /permit's id must be the string/ },
  { given: undefined, error: TypeError, names: /permit's id must be the string/ },
  { given: 7, error: TypeError, names: /permit's id must be the string/ },
  { given: {}, error: TypeError, names: /permit's id must be the string/ },
];

const idCases: Cases<'permitSemaphore'> = {
  // RedissonPermitExpirableSemaphoreTest.testBlockingAcquire
  'every permit has an id of its own': async (bench) => {
    const semaphore = make(await bench.open(), bench.name, 3);
    const permits = [await semaphore.acquire(), await semaphore.acquire({ permits: 2 })];
    assert.equal(new Set(permits.map(({ id }) => id)).size, 2);
    for (const { id } of permits) assert.ok(typeof id === 'string' && id !== '');
    for (const permit of permits) await permit.release();
  },

  // RedissonPermitExpirableSemaphoreTest.testRelease, testReleaseAsyncMany
  'every client with the id can release the permit, once': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const semaphore = make(client, bench.name, 2);
    const elsewhere = make(other, bench.name, 2);
    const { id } = await semaphore.acquire({ permits: 2, leaseMs: 9 * bench.unit });
    const waiting = bench.begin(semaphore.acquire());
    await bench.untilWaiting(1, semaphore);
    const start = bench.time.now();
    assert.equal(await elsewhere.release(id), true);
    const next = await waiting;
    bench.assertWithin(start, 0);
    assert.equal(await elsewhere.release(id), false);
    assert.equal(await semaphore.release(id), false);
    assert.equal(await elsewhere.available(), 1);
    await next.release();
  },

  'the own id releases the own permit, which is then no loss': async (bench) => {
    const semaphore = make(await bench.open({ renewalLeaseMs: bench.unit }), bench.name, 1);
    const permit = await semaphore.acquire();
    assert.equal(await semaphore.release(permit.id), true);
    assert.equal(await semaphore.release(permit.id), false);
    await bench.time.sleep(2 * bench.unit);
    assert.equal(permit.lost.aborted, false);
    await permit.release();
  },

  'the taker hears when another client released its permit': async (bench) => {
    const renewalLeaseMs = 3 * bench.unit;
    const [client, other] = [await bench.open({ renewalLeaseMs }), await bench.open()];
    const permit = await make(client, bench.name, 1).acquire();
    const start = bench.time.now();
    assert.equal(await make(other, bench.name, 1).release(permit.id), true);
    await lossOf(permit);
    bench.assertWithin(start, renewalLeaseMs / 3);
    assert.ok(permit.lost.reason instanceof LeaseLostError);
    await assertRejects(() => permit.release(), 'LEASE_LOST', client.label);
  },

  // RedissonPermitExpirableSemaphoreTest.testUpdateLeaseTime
  'every client with the id can extend the permit': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const start = bench.time.now();
    const { id } = await make(client, bench.name, 1).acquire({ leaseMs: 2 * bench.unit });
    const elsewhere = make(other, bench.name, 1);
    assert.equal(await elsewhere.extend(id, 5 * bench.unit), true);
    assert.equal(await elsewhere.extend(id, bench.unit), true, 'never shortens');
    const next = await elsewhere.acquire();
    bench.assertElapsed(start, 5 * bench.unit);
    assert.equal(await elsewhere.extend(id, 5 * bench.unit), false, 'it has expired');
    await next.release();
  },

  // RedissonPermitExpirableSemaphoreTest.testReleaseExpired, testExpire, testAvailablePermits
  'a permit expires by itself, and cannot be released then': async (bench) => {
    const semaphore = make(await bench.open(), bench.name, 2);
    const start = bench.time.now();
    const { id } = await semaphore.acquire({ permits: 2, leaseMs: 2 * bench.unit });
    assert.equal(await semaphore.available(), 0);
    const next = await semaphore.acquire();
    bench.assertElapsed(start, 2 * bench.unit);
    assert.equal(await semaphore.release(id), false);
    assert.equal(await semaphore.available(), 1);
    await next.release();
  },

  // RedissonPermitExpirableSemaphoreTest.testReleaseManyNotExistOrExpired
  'an unknown id releases and extends nothing': async (bench) => {
    const semaphore = make(await bench.open(), bench.name, 2);
    assert.equal(await semaphore.release('nobody:1'), false);
    assert.equal(await semaphore.extend('nobody:1', bench.unit), false);
    assert.equal(await semaphore.available(), 2);
  },

  'a permit outlives the process that took it': needing('crash', async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const start = bench.time.now();
    const semaphore = make(other, bench.name, 2);
    const one = await make(client, bench.name, 2).acquire({ leaseMs: 3 * bench.unit });
    const two = await make(client, bench.name, 2).acquire({ leaseMs: 3 * bench.unit });
    await bench.crash(client);
    assert.equal(await semaphore.available(), 0);
    assert.equal(await semaphore.release(one.id), true);
    assert.equal(await semaphore.extend(two.id, 5 * bench.unit), true);
    const both = await semaphore.acquire({ permits: 2 });
    bench.assertElapsed(start, 5 * bench.unit);
    await both.release();
  }),

  'a permit with a lease outlives the close of its client, one that was renewed does not': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const semaphore = make(other, bench.name, 3);
    const leased = await make(client, bench.name, 3).acquire({ permits: 2, leaseMs: 9 * bench.unit });
    await make(client, bench.name, 3).acquire();
    await client.close();
    assert.equal(await semaphore.available(), 1);
    assert.throws(() => leased.throwIfLost(), 'it is no longer this client that looks after it');
    await leased.release();
    assert.equal(await semaphore.available(), 1);
    assert.equal(await semaphore.release(leased.id), true);
    assert.equal(await semaphore.available(), 3);
  },

  'bad ids and times are refused': async (bench) => {
    const semaphore = make(await bench.open(), bench.name, 1);
    const permit = await semaphore.acquire();
    for (const bad of BAD_IDS) {
      await assertRejectsArgument(bad, () => semaphore.release(bad.given as string));
      await assertRejectsArgument(bad, () => semaphore.extend(bad.given as string, bench.unit));
    }
    for (const bad of BAD_EXTENSIONS) {
      await assertRejectsArgument(bad, () => semaphore.extend(permit.id, bad.given as number));
    }
    permit.throwIfLost();
    await permit.release();
  },

  'calls by id on a closed client reject': async (bench) => {
    const client = await bench.open();
    const semaphore = make(client, bench.name, 1);
    await client.close();
    await assertRejects(() => semaphore.release('nobody:1'), 'CLOSED', client.label);
    await assertRejects(() => semaphore.extend('nobody:1', bench.unit), 'CLOSED', client.label);
  },
};

/** The semaphore whose permits have ids. With one permit it is a lock that outlives its holder. */
export const permitSemaphoreSuite = suiteOf<'permitSemaphore'>(
  'permitSemaphore',
  prefixed(
    'with one permit',
    exclusiveCases({
      open: (client: PermitSemaphoreClient, name) => make(client, name, 1),
      survivesCrash: true,
    }),
  ),
  permitCases(make),
  idCases,
  nameCases({
    make: (client: PermitSemaphoreClient, name) => make(client, name, 2),
    use: (semaphore) => semaphore.run(() => undefined),
    badOptions: BAD_PERMITS,
    makeWith: (client, name, options) => client.permitSemaphore(name, options as { permits: number }),
  }),
);
