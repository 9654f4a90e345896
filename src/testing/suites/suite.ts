import type { Factories } from '../../index.ts';
import { Bench } from '../harness/bench.ts';
import type { Harness } from '../harness/harness.ts';
import { StallDetector } from '../harness/stall-detector.ts';

/** Something that not every harness can do. */
export type Need =
  'announces' | 'crash' | 'loseNextReply' | 'openYoung' | 'silence' | 'exact time' | 'minHold';

type Body<K extends keyof Factories> = (bench: Bench<K>) => Promise<void>;

/** One case: its body, and what it needs from the harness. */
export type Case<K extends keyof Factories> =
  Body<K> | { readonly needs: readonly Need[]; readonly body: Body<K> };

/** Cases by their title. */
export type Cases<K extends keyof Factories> = Readonly<Record<string, Case<K>>>;

/** Cases that an engine does not pass, by their exact titles, and why. */
export interface Skip {
  readonly reason: string;
  readonly tests: readonly string[];
}

/** The part of a test runner that a suite uses: that of vitest, or of `node:test`. */
export interface Runner {
  readonly describe: (title: string, body: () => void) => unknown;
  readonly test: {
    (title: string, body: () => Promise<void>): unknown;
    skip(title: string, body: () => Promise<void>): unknown;
  };
}

export interface SuiteOptions<K extends keyof Factories> extends Runner {
  readonly harness: Harness<K>;
  readonly skip?: readonly Skip[];
}

/** A conformance suite: give it a harness and a runner. */
export type Suite<K extends keyof Factories> = (options: SuiteOptions<K>) => void;

/** A case that runs only where the harness can do this. */
export function needing<K extends keyof Factories>(needs: Need | readonly Need[], body: Body<K>): Case<K> {
  return { needs: typeof needs === 'string' ? [needs] : needs, body };
}

/** The same cases under other titles, so that one suite can run them over several synchronizers. */
export function prefixed<K extends keyof Factories>(prefix: string, cases: Cases<K>): Cases<K> {
  return Object.fromEntries(Object.entries(cases).map(([title, one]) => [`${prefix}: ${title}`, one]));
}

/** Several lists of cases as one. Two cases with one title are an error: one of them would never run. */
export function merged<K extends keyof Factories>(...lists: readonly Cases<K>[]): Cases<K> {
  const all: Record<string, Case<K>> = {};
  for (const [title, one] of lists.flatMap((list) => Object.entries(list))) {
    if (Object.hasOwn(all, title)) throw new TypeError(`There are two cases "${title}".`);
    all[title] = one;
  }
  return all;
}

/** Makes a suite of cases. */
export function suiteOf<K extends keyof Factories>(title: string, ...lists: readonly Cases<K>[]): Suite<K> {
  const cases = merged(...lists);
  return ({ describe, test, harness, skip = [] }) => {
    const reasons = reasonsOf(title, cases, skip);
    describe(`${harness.engine} ${title}`, () => {
      for (const [name, one] of Object.entries(cases)) {
        const body = typeof one === 'function' ? one : one.body;
        const reason = reasons.get(name) ?? missing(harness, one);
        const run = () => runCase(harness, name, body);
        if (reason === undefined) test(name, run);
        else test.skip(`${name} (skipped: ${reason})`, run);
      }
    });
  };
}

/** Refuses a skip that names no case: after a case was renamed it would silently skip nothing. */
function reasonsOf<K extends keyof Factories>(
  title: string,
  cases: Cases<K>,
  skips: readonly Skip[],
): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  for (const { reason, tests } of skips) {
    if (reason === '') throw new TypeError(`A skip in the suite "${title}" has no reason.`);
    for (const name of tests) {
      if (!Object.hasOwn(cases, name))
        throw new TypeError(`The suite "${title}" has no case "${name}" to skip.`);
      reasons.set(name, reason);
    }
  }
  return reasons;
}

function missing<K extends keyof Factories>(harness: Harness<K>, one: Case<K>): string | undefined {
  const needs = typeof one === 'function' ? [] : one.needs;
  if (needs.includes('minHold') && harness.withoutMinHold !== undefined) return harness.withoutMinHold;
  const lacking = needs.find((need) => !offers(harness, need));
  return lacking === undefined ? undefined : `the harness offers no ${lacking}`;
}

function offers<K extends keyof Factories>(harness: Harness<K>, need: Need): boolean {
  if (need === 'minHold') return harness.withoutMinHold === undefined;
  return need === 'exact time' ? harness.time.exact : harness[need] !== undefined;
}

/** How often a case may run because the machine stalled. */
const MOST_RUNS = 3;

/**
 * Runs a case again that failed while its process was stalled, and says so. The tempting alternatives: units so long
 * that no stall ever spoils them, which makes the suites too slow to run at all; or repeating every failure, which
 * hides races. A case that fails while timers were on time is never run again.
 */
async function runCase<K extends keyof Factories>(
  harness: Harness<K>,
  title: string,
  body: Body<K>,
): Promise<void> {
  for (let run = 1; ; run += 1) {
    const standstill = new StallDetector(harness.time);
    try {
      await runOnce(harness, standstill, body);
      return;
    } catch (error) {
      const spoiledMs = await standstill.spoiledMs();
      if (spoiledMs === undefined || run === MOST_RUNS) throw error;
      process.emitWarning(
        `"${title}" failed on ${harness.engine} while this process stood still for ${spoiledMs} ms of a unit of ` +
          `${harness.time.unitMs} ms. It is run again (${run + 1} of at most ${MOST_RUNS}). It had failed with: ${String(error)}`,
        'SpoiledCaseWarning',
      );
    } finally {
      standstill.end();
    }
  }
}

/** The error of the case wins over what it leaves behind. */
async function runOnce<K extends keyof Factories>(
  harness: Harness<K>,
  standstill: StallDetector,
  body: Body<K>,
): Promise<void> {
  await harness.run(async () => {
    const bench = new Bench(harness, standstill);
    try {
      await body(bench);
    } finally {
      await bench.close();
    }
    await bench.assertNothingLeft();
  });
}
