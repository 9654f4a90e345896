import { describe, expect, test } from 'vitest';
import { memory } from '../../src/engines/memory/index.ts';
import {
  type Cases,
  conformance,
  type Harness,
  lockSuite,
  needing,
  type Runner,
  suiteOf,
  suites,
} from '../../src/testing/index.ts';
import { MemoryHarness } from './memory-harness.ts';
import { realSurroundings } from './real-surroundings.ts';
import { virtualSurroundings } from './virtual-surroundings.ts';

interface Registered {
  readonly suite: string;
  readonly title: string;
  readonly skipped: boolean;
  readonly body: () => Promise<void>;
}

/** A runner that runs nothing, and tells what it was given. */
function notingRunner() {
  const registered: Registered[] = [];
  let suite = '';
  const note = (skipped: boolean) => (title: string, body: () => Promise<void>) =>
    void registered.push({ suite, title, skipped, body });
  const runner: Runner = {
    describe: (title, body) => {
      suite = title;
      body();
    },
    test: Object.assign(note(false), { skip: note(true) }),
  };
  return { ...runner, registered };
}

const harness = (): MemoryHarness => new MemoryHarness(virtualSurroundings());

/** A suite of two cases, to try the machinery on. */
const cases: Cases<'lock'> = {
  good: async (bench) => (await bench.open()).lock('a').run(() => undefined),
  bad: async () => expect.unreachable('as expected'),
  rich: needing(['crash', 'exact time'], async () => undefined),
};

describe('the suites', () => {
  test('cover every factory that memory() offers, what is composed of locks, and the engine itself', async () => {
    const { registered, ...runner } = notingRunner();
    conformance({ ...runner, harness: harness() });
    const locks = memory();
    const offered = Object.entries(locks)
      .filter(
        ([key, value]) => typeof value === 'function' && !['on', 'owner', 'close', 'toJSON'].includes(key),
      )
      .map(([key]) => key);
    await locks.close();
    expect(Object.keys(suites).toSorted()).toStrictEqual(offered.toSorted());
    const expected = [...offered, 'engine', 'multiLock', 'quorumLock'].map((kind) => `memory ${kind}`);
    expect([...new Set(registered.map(({ suite }) => suite))].toSorted()).toStrictEqual(expected.toSorted());
    expect(registered.length, `${registered.length} cases`).toBeGreaterThan(600);
  });

  test('refuse two cases of one title: one of them would never run', () => {
    expect(() => suiteOf<'lock'>('trial', cases, { good: cases['bad']! })).toThrow(/two cases "good"/);
  });

  test('leave out those of factories that an engine lacks', () => {
    const { registered, ...runner } = notingRunner();
    const poor: Harness = Object.assign(Object.create(harness()), { factories: ['latch', 'lock'] });
    conformance({ ...runner, harness: poor });
    expect([...new Set(registered.map(({ suite }) => suite))]).toStrictEqual([
      'memory engine',
      'memory latch',
      'memory lock',
    ]);
    expect(() => conformance({ ...notingRunner(), harness: poor, skip: { monitor: [] } })).toThrow(
      /no suite "monitor"/,
    );
  });

  test('skip what is named, with the reason', () => {
    const { registered, ...runner } = notingRunner();
    const title = 'tryAcquire is one attempt';
    lockSuite({ ...runner, harness: harness(), skip: [{ reason: 'too slow', tests: [title] }] });
    const skipped = registered.filter((one) => one.skipped).map((one) => one.title);
    expect(skipped).toContain(`${title} (skipped: too slow)`);
    expect(registered.some((one) => one.title === title)).toBe(false);
  });

  test('refuse a skip that names no case, or gives no reason', () => {
    const skipping = (reason: string, title: string) => () =>
      lockSuite({ ...notingRunner(), harness: harness(), skip: [{ reason, tests: [title] }] });
    expect(skipping('too slow', 'no such case')).toThrow(/"lock" has no case "no such case" to skip/);
    expect(skipping('too slow', 'toString')).toThrow(/has no case "toString"/);
    expect(skipping('', 'tryAcquire is one attempt')).toThrow(/has no reason/);
  });

  test('skip what the harness cannot do, and say so', () => {
    const { registered, ...runner } = notingRunner();
    suiteOf<'lock'>('trial', cases)({ ...runner, harness: harness() });
    expect(registered.map(({ title, skipped }) => [title, skipped])).toStrictEqual([
      ['good', false],
      ['bad', false],
      ['rich (skipped: the harness offers no crash)', true],
    ]);
  });

  test('fail when a case fails, and when anything is left behind', async () => {
    const { registered, ...runner } = notingRunner();
    suiteOf<'lock'>('trial', cases)({ ...runner, harness: harness() });
    await registered[0]!.body();
    await expect(registered[1]!.body()).rejects.toThrow(/as expected/);
    class Untidy extends MemoryHarness {
      override leftovers = async () => ['a sock'];
    }
    const untidy = new Untidy(virtualSurroundings());
    const second = notingRunner();
    suiteOf<'lock'>('trial', cases)({ ...second, harness: untidy });
    await expect(second.registered[0]!.body()).rejects.toThrow(/left behind/);
    await expect(second.registered[1]!.body(), 'its own error wins').rejects.toThrow(/as expected/);
  });

  test('fail when a listener is left on a signal, or a timer, or a watcher', async () => {
    const { registered, ...runner } = notingRunner();
    const listening: Cases<'lock'> = {
      listener: async (bench) => {
        const { signal } = bench.controller();
        signal.addEventListener('abort', () => undefined);
      },
    };
    suiteOf<'lock'>('trial', listening)({ ...runner, harness: harness() });
    await expect(registered[0]!.body()).rejects.toThrow(/listeners left on signals: 1/);
  });

  test('end when what they wait for never happens', async () => {
    const { registered, ...runner } = notingRunner();
    const waiting: Cases<'lock'> = { waiting: (bench) => bench.until(() => false) };
    suiteOf<'lock'>('trial', waiting)({ ...runner, harness: harness() });
    await expect(registered[0]!.body()).rejects.toThrow(/did not happen in \d+ ms/);
  });

  describe('a case that fails while its process stood still', () => {
    const unitMs = 40;
    const real = (ms: number) =>
      new MemoryHarness({ ...realSurroundings, time: { ...realSurroundings.time, unitMs: ms } });

    /** Runs one case that fails so often, each time after a standstill of so much. */
    async function runs(
      standstillMs: number,
      failures: number,
      stall: 'found' | 'caused' = 'found',
      unit = unitMs,
    ) {
      const { registered, ...runner } = notingRunner();
      let count = 0;
      const spoiled: Cases<'lock'> = {
        spoiled: async (bench) => {
          count += 1;
          if (stall === 'caused') bench.stall(standstillMs);
          else bench.time.stall(standstillMs);
          expect(count, 'too late').toBeGreaterThan(failures);
        },
      };
      suiteOf<'lock'>('trial', spoiled)({ ...runner, harness: real(unit) });
      const [end] = await Promise.allSettled([registered[0]!.body()]);
      expect(end.status === 'fulfilled' || /too late/.test(String(end.reason))).toBe(true);
      return count;
    }

    test('is run again', async () => expect(await runs(unitMs, 1)).toBe(2));
    test('is run three times at most', async () => expect(await runs(unitMs, 9)).toBe(3));
    test('is not run again when it did so on purpose', async () =>
      expect(await runs(unitMs, 1, 'caused')).toBe(1));
    test('is not run again when timers were about on time', async () =>
      expect(await runs(unitMs, 1, 'found', 50 * unitMs)).toBe(1));
  });
});
