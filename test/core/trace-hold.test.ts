import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import { expect, test } from 'vitest';
import { MemoryStore } from '../../src/engines/memory/index.ts';
import { EngineError, type HoldTrace, LeaseLostError, type RenewalTrace } from '../../src/index.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';
import { DistantFleet, LEASE_MS } from './distant-fleet.ts';
import { storeEngine } from './store-engine.ts';

const BEGUN = ['start', 'end'] as const;
const ENDED = [...BEGUN, 'asyncStart', 'asyncEnd'] as const;
const FAILED = [...BEGUN, 'error', 'asyncStart', 'asyncEnd'] as const;

type Steps<T> = ReadonlyMap<T, readonly string[]>;

/** What is published on the channels of this name from now on: the steps of each trace. */
function listen<T extends object>(name: string) {
  const steps = new Map<T, string[]>();
  const channels = tracingChannel(name);
  const note = (step: string) => (message: object) => {
    const noted = steps.get(message as T);
    if (noted === undefined) steps.set(message as T, [step]);
    else noted.push(step);
  };
  const [start, end, asyncStart, asyncEnd, error] = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'].map(
    note,
  );
  const subscribers = { start, end, asyncStart, asyncEnd, error } as Parameters<typeof channels.subscribe>[0];
  channels.subscribe(subscribers);
  return {
    steps: steps as Steps<T>,
    [Symbol.dispose]: () => channels.unsubscribe(subscribers),
  };
}

const listenToHolds = () => listen<HoldTrace>('holdfast:hold');

function inFleet(body: (fleet: DistantFleet, clock: VirtualClock) => Promise<void>): () => Promise<void> {
  return () => {
    const clock = new VirtualClock();
    return clock.run(async () => {
      await using fleet = new DistantFleet(clock);
      await body(fleet, clock);
    });
  };
}

test(
  'a hold is one trace from its grant to its release, and has the trace of its acquisition',
  inFleet(async (fleet, clock) => {
    using acquisitions = listen<object>('holdfast:acquire');
    using holds = listenToHolds();
    const lock = fleet.lock();
    const hold = await lock.acquire();
    const [trace] = [...holds.steps.keys()];
    expect(holds.steps.get(trace!)).toEqual(BEGUN);
    expect(trace).toMatchObject({ kind: 'fairLock', name: 'a', engine: 'client-0', fence: hold.fence });
    expect(trace?.acquisition).toBe([...acquisitions.steps.keys()][0]);
    await clock.sleep(10);
    await hold.release();
    expect([...holds.steps.values()]).toEqual([ENDED]);
    // The way there and back, 10 ms, and the way of the release.
    expect(trace?.elapsedMs).toBe(14);
    expect(trace?.error).toBeUndefined();
  }),
);

test(
  'a hold that is handed over ends, and the next one has a fence and a trace of its own',
  inFleet(async (fleet) => {
    using holds = listenToHolds();
    const lock = fleet.lock();
    const first = await lock.acquire();
    const others = [lock.run((hold) => hold.fence), lock.run((hold) => hold.fence)];
    await first.release();
    const fences = [first.fence, ...(await Promise.all(others))];
    expect([...holds.steps.values()]).toEqual([ENDED, ENDED, ENDED]);
    expect([...holds.steps.keys()].map(({ fence }) => fence)).toEqual(fences);
    expect(fleet.sent.filter((sent) => sent === 'release').length).toBeLessThan(3);
  }),
);

test(
  'a hold that re-enters has none',
  inFleet(async (fleet) => {
    using holds = listenToHolds();
    const lock = fleet.lock();
    await lock.run(() => lock.run(() => undefined));
    expect([...holds.steps.values()]).toEqual([ENDED]);
  }),
);

test(
  'a hold that is lost ends once, with its loss',
  inFleet(async (fleet, clock) => {
    using holds = listenToHolds();
    const hold = await fleet.lock().acquire({ leaseMs: 1_000 });
    await clock.sleep(2_000);
    expect(hold.remainingMs).toBe(0);
    await expect(hold.release()).rejects.toThrow(LeaseLostError);
    const [[trace, steps]] = [...holds.steps] as [[HoldTrace, readonly string[]]];
    expect(steps).toEqual(FAILED);
    expect(trace.error).toBeInstanceOf(LeaseLostError);
  }),
);

test(
  'a hold that the store no longer has when it is released ends with its loss',
  inFleet(async (fleet, clock) => {
    using holds = listenToHolds();
    const hold = await fleet.lock().acquire();
    await fleet.lock().forceRelease();
    await expect(hold.release()).rejects.toThrow(LeaseLostError);
    expect([...holds.steps.values()]).toEqual([FAILED]);
    await clock.sleep(LEASE_MS);
  }),
);

test(
  'a hold whose release fails ends with what it failed with',
  inFleet(async (fleet, clock) => {
    using holds = listenToHolds();
    const hold = await fleet.lock().acquire();
    const error = new EngineError('broken', { resource: 'a', engine: 'test' }, { retryable: true });
    fleet.releaseError = error;
    await expect(hold.release()).rejects.toBe(error);
    const [[trace, steps]] = [...holds.steps] as [[HoldTrace, readonly string[]]];
    expect(steps).toEqual(FAILED);
    expect(trace.error).toBe(error);
    await clock.sleep(LEASE_MS);
  }),
);

test(
  'close ends the holds that it releases, and those that outlive the client',
  inFleet(async (_fleet, clock) => {
    using holds = listenToHolds();
    const locks = storeEngine(clock, new MemoryStore(clock), {}, () => ({}));
    await locks.lock('renewed').acquire();
    await locks.permitSemaphore('a', { permits: 1 }).acquire({ leaseMs: 5_000 });
    await locks.close();
    expect([...holds.steps.values()]).toEqual([ENDED, ENDED]);
  }),
);

test(
  'a monitor that waits has a hold before and another after',
  inFleet(async (_fleet, clock) => {
    using holds = listenToHolds();
    using acquisitions = listen<object>('holdfast:acquire');
    await using locks = storeEngine(clock, new MemoryStore(clock), {}, () => ({}));
    const monitor = locks.monitor('a', { initial: 0 });
    await monitor.run((m) => m.wait('more', { timeoutMs: 10 }));
    expect([...holds.steps.values()]).toEqual([ENDED, ENDED]);
    const traces = [...holds.steps.keys()].map(({ acquisition }) => acquisition);
    expect(new Set(traces)).toEqual(new Set(acquisitions.steps.keys()));
  }),
);

test(
  'semaphores and elections are traced as well',
  inFleet(async (_fleet, clock) => {
    using holds = listenToHolds();
    await using locks = storeEngine(clock, new MemoryStore(clock), {}, () => ({}));
    await locks.semaphore('a', { permits: 1 }).run(() => undefined);
    await (await locks.permitSemaphore('a', { permits: 1 }).acquire()).release();
    await (await locks.election('a').campaign()).resign();
    const read = await locks.readWriteLock('a').read.acquire();
    await read.release();
    expect([...holds.steps.values()]).toEqual([ENDED, ENDED, ENDED, ENDED]);
    const kinds = [...holds.steps.keys()].map(({ kind }) => kind);
    expect(kinds).toEqual(['semaphore', 'permitSemaphore', 'election', 'readLock']);
  }),
);

test(
  'a subscriber calls the section of a run, and not that of a re-entry',
  inFleet(async (_fleet, clock) => {
    const store = new AsyncLocalStorage<string>();
    const channels = tracingChannel('holdfast:hold');
    const begin = (message: unknown): void => {
      const trace = message as HoldTrace;
      trace.callSectionBy((section) => store.run(trace.kind, section));
    };
    channels.start.subscribe(begin);
    try {
      await using locks = storeEngine(clock, new MemoryStore(clock), {}, () => ({}));
      const lock = locks.lock('a');
      const seen = () => store.getStore();
      expect(await lock.run(seen)).toBe('lock');
      expect(await lock.run(() => store.run('own', () => lock.run(seen)))).toBe('own');
      expect(await locks.semaphore('a', { permits: 1 }).run(seen)).toBe('semaphore');
      expect(await locks.monitor('a', { initial: 0 }).run(seen)).toBe('monitor');
      const stop = new AbortController();
      await locks.election('a').lead(
        () => {
          expect(seen()).toBe('election');
          stop.abort();
        },
        { signal: stop.signal },
      );
      expect(seen()).toBeUndefined();
    } finally {
      channels.start.unsubscribe(begin);
    }
  }),
);

test(
  'a renewal is a trace of its own, with the trace of its hold',
  inFleet(async (fleet, clock) => {
    using holds = listenToHolds();
    using renewals = listen<RenewalTrace>('holdfast:renewal');
    const hold = await fleet.lock().acquire();
    fleet.renewalError = new EngineError('broken', { resource: 'a', engine: 'test' }, { retryable: true });
    await clock.sleep(LEASE_MS / 2);
    const [[failed, failedSteps], [renewed, renewedSteps]] = [...renewals.steps] as [
      [RenewalTrace, readonly string[]],
      [RenewalTrace, readonly string[]],
    ];
    expect(failedSteps).toEqual(FAILED);
    expect(failed.error).toBeInstanceOf(EngineError);
    expect(renewedSteps).toEqual(ENDED);
    expect(renewed).toMatchObject({ kind: 'fairLock', name: 'a', fence: hold.fence, elapsedMs: 2 });
    expect(renewed.hold).toBe([...holds.steps.keys()][0]);
    await hold.release();
  }),
);

test(
  'a renewal of a hold that the store no longer has ends with the loss',
  inFleet(async (fleet, clock) => {
    using renewals = listen<RenewalTrace>('holdfast:renewal');
    const hold = await fleet.lock().acquire();
    await fleet.lock().forceRelease();
    await clock.sleep(LEASE_MS / 2);
    expect(hold.lost.aborted).toBe(true);
    const [[trace, steps]] = [...renewals.steps] as [[RenewalTrace, readonly string[]]];
    expect(steps).toEqual(FAILED);
    expect(trace.error).toBe(hold.lost.reason);
  }),
);

test(
  'nothing is made when no subscriber listens',
  inFleet(async (_fleet, clock) => {
    await using locks = storeEngine(clock, new MemoryStore(clock), {}, () => ({}));
    const lock = locks.lock('a');
    const number = async () => {
      using holds = listenToHolds();
      await lock.run(() => undefined);
      return [...holds.steps.keys()][0]!.id;
    };
    const before = await number();
    await lock.run(() => undefined);
    expect((await number()) - before).toBe(1);
  }),
);
