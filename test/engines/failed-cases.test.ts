import { expect, test } from 'vitest';
import { conformance, type Runner } from '../../src/testing/index.ts';
import { UncaughtErrors } from '../fixtures/uncaught-errors.ts';
import { MortalMemoryHarness } from './mortal-memory-harness.ts';
import { virtualSurroundings } from './virtual-surroundings.ts';

/** Of those times that a case waits: it fails at the first, at the second, and further on. */
const FAILS_AT = [1, 2, 5];

const virtual = virtualSurroundings();
let waits = 0;
let failsAt = Infinity;
const time = {
  ...virtual.time,
  sleep: async (ms: number): Promise<void> => {
    waits += 1;
    if (waits === failsAt) throw new Error('fails here, as on a machine that stands still');
    await virtual.time.sleep(ms);
  },
};
const harness = new MortalMemoryHarness({ ...virtual, time });

const bodies = new Map<string, () => Promise<void>>();
let suite = '';
const runner: Runner = {
  describe: (title, body) => {
    suite = title;
    body();
  },
  test: Object.assign(
    (title: string, body: () => Promise<void>) => void bodies.set(`${suite}: ${title}`, body),
    { skip: () => undefined },
  ),
};
conformance({ ...runner, harness });

// A case that fails while the machine stands still is run again. What it had begun and not awaited yet is rejected when its clients
// close: without a handler that rejection ends the process, or fails a run of which every case is green in the end.
test('a case that fails leaves no rejection of a call that it had begun', async () => {
  using rejections = new UncaughtErrors();
  const careless: string[] = [];
  for (const [title, body] of bodies) {
    for (const at of FAILS_AT) {
      waits = 0;
      failsAt = at;
      await body().catch(() => undefined);
      for (const error of await rejections.soFar()) careless.push(`${title}, wait ${at}: ${String(error)}`);
      if (waits < at) break;
    }
  }
  expect(careless).toEqual([]);
}, 120_000);
