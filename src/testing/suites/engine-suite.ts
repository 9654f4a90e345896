import assert from 'node:assert/strict';
import type { EventMap, Factories, HoldfastEvent, Synchronizers } from '../../index.ts';
import type { Bench } from '../harness/bench.ts';
import { type BadArgument, assertRejectsArgument, assertThrowsArgument } from '../harness/coded-error.ts';
import type { HarnessClientOptions } from '../harness/harness.ts';
import { type Cases, suiteOf } from './suite.ts';

/** An engine with any factories. */
type Any = Partial<Factories> & Synchronizers<never>;

/** What an engine object has besides its factories. */
const COMMON = new Set(['close', 'label', 'on', 'owner', 'toJSON', 'traits']);

/** One use of each thing that can be held: acquired and released, by the kind that its events name. */
const USES: Readonly<Record<string, (client: Any, name: string) => Promise<unknown> | undefined>> = {
  lock: (client, name) => client.lock?.(name).run(() => undefined),
  fairLock: (client, name) => client.fairLock?.(name).run(() => undefined),
  readLock: (client, name) => client.readWriteLock?.(name).read.run(() => undefined),
  writeLock: (client, name) => client.readWriteLock?.(name).write.run(() => undefined),
  semaphore: (client, name) => client.semaphore?.(name, { permits: 2 }).run(() => undefined),
  permitSemaphore: (client, name) => client.permitSemaphore?.(name, { permits: 2 }).run(() => undefined),
  election: (client, name) =>
    client
      .election?.(name)
      .campaign()
      .then((office) => office.resign()),
  monitor: (client, name) => client.monitor?.(name, { initial: 0 }).run(() => undefined),
};

const BAD_CLIENT_OPTIONS: readonly BadArgument[] = [
  { given: { label: '' }, error: TypeError, names: /label must be a string that is not empty/ },
  { given: { label: 5 }, error: TypeError, names: /label must be a string that is not empty/ },
  { given: { renewalLeaseMs: 0 }, error: RangeError, names: /renewalLeaseMs must be from 50/ },
  { given: { renewalLeaseMs: NaN }, error: RangeError, names: /renewalLeaseMs must be from 50/ },
  { given: { renewalLeaseMs: '30s' }, error: TypeError, names: /renewalLeaseMs must be a number, not "30s"/ },
  { given: { maxHoldMs: -1 }, error: RangeError, names: /maxHoldMs must be from 50/ },
  { given: { maxHoldMs: Infinity }, error: RangeError, names: /maxHoldMs must be from 50/ },
  {
    given: { leaseMs: 1000 },
    error: TypeError,
    names: /no option "leaseMs"; known are label, renewalLeaseMs/,
  },
];

const BAD_EVENTS: readonly BadArgument[] = [
  { given: ['nonsense', () => undefined], error: TypeError, names: /on needs an event \(acquire, / },
  { given: ['__proto__', () => undefined], error: TypeError, names: /on needs an event \(acquire, / },
  { given: [undefined, () => undefined], error: TypeError, names: /on needs an event \(acquire, / },
  { given: ['acquire', undefined], error: TypeError, names: /on needs .* and a function/ },
  { given: ['acquire', 'log'], error: TypeError, names: /on needs .* and a function/ },
];

async function open(bench: Bench<never>, options?: HarnessClientOptions): Promise<Any> {
  return bench.open(options);
}

/** All events of one kind of a client. */
function heard(client: Any, event: keyof EventMap): HoldfastEvent[] {
  const events: HoldfastEvent[] = [];
  client.on(event, (one) => void events.push(one));
  return events;
}

const objectCases: Cases<never> = {
  'it offers the factories that it is tested for, and no others': async (bench) => {
    const client = await open(bench);
    const { extras = [] } = bench.harness;
    const offered = Object.keys(client).filter((key) => !COMMON.has(key) && !extras.includes(key));
    assert.deepEqual(offered.toSorted(), [...bench.harness.factories].toSorted());
    for (const key of offered) assert.equal(typeof client[key as keyof Factories], 'function', key);
  },

  'its traits are what the suites know': async (bench) => {
    const { traits } = await open(bench);
    assert.ok(['push', 'poll'].includes(traits.wakeUp));
    assert.ok(['process', 'server'].includes(traits.clock));
    assert.ok(['session', 'lease'].includes(traits.crash));
    const counted = typeof traits.waiters === 'string' ? [traits.waiters] : Object.values(traits.waiters);
    assert.ok(counted.every((whom) => whom === 'fleet' || whom === 'process'));
    assert.ok(['fleet', 'client'].includes(traits.permitOrder));
    assert.ok(['by-kind', 'shared'].includes(traits.keyspace));
    assert.ok(['process', 'machine', 'fleet'].includes(traits.scope));
    assert.ok(traits.leaseGranularityMs >= 0 && traits.leaseGranularityMs <= bench.unit);
  },

  'it is named after its engine, or by its label': async (bench) => {
    assert.equal((await open(bench)).label, bench.harness.engine);
    assert.equal((await open(bench, { label: 'billing' })).label, 'billing');
  },

  'closing twice is closing once': async (bench) => {
    const client = await open(bench);
    await Promise.all([client.close(), client.close()]);
    await client.close();
    await client[Symbol.asyncDispose]();
    await using disposed = await open(bench);
    assert.equal(typeof disposed.close, 'function');
  },

  'owners have a label': async (bench) => {
    const client = await open(bench);
    assert.equal(client.owner('worker').label, 'worker');
    assert.equal(typeof client.owner().label, 'string');
    assert.notEqual(client.owner('a'), client.owner('a'));
    const bad: BadArgument = { given: 5, error: TypeError, names: /label.* must be a string, not 5/ };
    assertThrowsArgument(bad, () => client.owner(5 as unknown as string));
  },

  'bad options of a client are refused': async (bench) => {
    for (const bad of BAD_CLIENT_OPTIONS) {
      await assertRejectsArgument(bad, () => bench.open(bad.given as HarnessClientOptions));
    }
  },
};

const eventCases: Cases<never> = {
  'acquiring and releasing is reported, for everything that can be held': async (bench) => {
    const client = await open(bench);
    const [acquired, released] = [heard(client, 'acquire'), heard(client, 'release')];
    for (const [kind, use] of Object.entries(USES)) {
      const used = use(client, bench.name);
      if (used === undefined) continue;
      await used;
      for (const events of [acquired, released]) {
        const event = events.pop();
        assert.deepEqual(
          [event?.kind, event?.name, event?.engine],
          [kind, bench.name, client.label],
          `${kind}: ${events === acquired ? 'acquire' : 'release'}`,
        );
        assert.ok(event!.fence! > 0n);
        assert.ok(event!.owner !== undefined && event!.owner !== '');
        assert.ok(event!.elapsedMs! >= 0);
        assert.equal(events.length, 0, `${kind} is reported once`);
      }
    }
  },

  'waiting is reported, and how long it took': async (bench) => {
    const [client, other] = [await open(bench), await open(bench)];
    const lock = client.lock?.(bench.name);
    if (lock === undefined) return;
    const [contended, acquired, released] = [
      heard(other, 'contended'),
      heard(other, 'acquire'),
      heard(client, 'release'),
    ];
    const hold = await lock.acquire();
    const waiting = bench.begin(other.lock!(bench.name).acquire());
    await bench.time.sleep(bench.unit);
    await hold.release();
    await (await waiting).release();
    assert.deepEqual(
      contended.map(({ kind, name }) => [kind, name]),
      [['lock', bench.name]],
    );
    assert.equal(acquired.length, 1);
    bench.assertAtLeast(acquired[0]!.elapsedMs!, bench.unit);
    bench.assertAtLeast(released[0]!.elapsedMs!, bench.unit);
  },

  'every hand-over is reported as a release and an acquisition': async (bench) => {
    const client = await open(bench);
    const lock = client.lock?.(bench.name);
    if (lock === undefined) return;
    const told: string[] = [];
    client.on('acquire', ({ fence }) => void told.push(`acquire ${fence}`));
    client.on('release', ({ fence }) => void told.push(`release ${fence}`));
    const fences: bigint[] = [];
    await Promise.all(Array.from({ length: 5 }, () => lock.run(({ fence }) => void fences.push(fence))));
    assert.deepEqual(
      told,
      fences.flatMap((fence) => [`acquire ${fence}`, `release ${fence}`]),
    );
  },

  'renewals and losses are reported': async (bench) => {
    const client = await open(bench, { renewalLeaseMs: 3 * bench.unit });
    const lock = client.lock?.(bench.name);
    if (lock === undefined) return;
    const [renewed, lost] = [heard(client, 'renew'), heard(client, 'lost')];
    const hold = await lock.acquire();
    await bench.until(() => renewed.length >= 3);
    await hold.release();
    assert.deepEqual(
      [renewed[0]!.kind, renewed[0]!.fence, renewed[0]!.error],
      ['lock', hold.fence, undefined],
    );
    const short = await lock.acquire({ leaseMs: bench.unit });
    await bench.until(() => short.lost.aborted);
    assert.equal(lost.length, 1);
    assert.equal(lost[0]!.error, short.lost.reason);
    assert.equal(lost[0]!.fence, short.fence);
  },

  'who stops to listen hears nothing more, nor does who listens to another client': async (bench) => {
    const [client, other] = [await open(bench), await open(bench)];
    const use = Object.values(USES).find((one) => one(client, bench.name) !== undefined);
    if (use === undefined) return;
    let [stopped, stayed] = [0, 0];
    const stop = client.on('acquire', () => void stopped++);
    client.on('acquire', () => void stayed++);
    const elsewhere = heard(other, 'acquire');
    await use(client, `${bench.name}-1`);
    stop();
    stop();
    await use(client, `${bench.name}-2`);
    assert.deepEqual([stopped, stayed, elsewhere.length], [1, 2, 0]);
  },

  'bad events and listeners are refused': async (bench) => {
    const client = await open(bench);
    for (const bad of BAD_EVENTS) {
      const [event, listener] = bad.given as [keyof EventMap, () => void];
      assertThrowsArgument(bad, () => client.on(event, listener));
    }
  },
};

/** What every engine object does, whatever it offers. */
export const engineSuite = suiteOf<never>('engine', objectCases, eventCases);
