import type { Factories } from '../../index.ts';
import { engineSuite } from './engine-suite.ts';
import type { Harness } from '../harness/harness.ts';
import { multiLockSuite } from './multi-lock-suite.ts';
import { quorumLockSuite } from './quorum-lock-suite.ts';
import type { Runner, Skip, Suite } from './suite.ts';
import { suites } from './suites.ts';

/** Which suite: that of a factory, of the locks composed of its locks, or of the engine object itself. */
export type SuiteName = keyof Factories | 'engine' | 'multiLock' | 'quorumLock';

export interface ConformanceOptions<K extends keyof Factories> extends Runner {
  readonly harness: Harness<K>;
  /** Cases that the engine does not pass, by suite. */
  readonly skip?: { readonly [S in SuiteName]?: readonly Skip[] };
}

/**
 * Every suite that applies to an engine: that of each factory it offers, those of the locks composed of its locks, and
 * that of the engine object.
 *
 * @example
 * ```ts no-run the harness is yours to write
 * import { describe, test } from 'vitest';
 * import { conformance, type Harness } from 'holdfast/testing';
 *
 * declare const harness: Harness;
 * conformance({ describe, test, harness });
 * ```
 */
export function conformance<K extends keyof Factories>(options: ConformanceOptions<K>): void {
  const { describe, test, harness, skip = {} } = options;
  const all: Partial<Record<SuiteName, Suite<never>>> = { engine: engineSuite };
  for (const factory of harness.factories) all[factory] = suites[factory] as unknown as Suite<never>;
  if (harness.factories.includes('lock') && harness.factories.includes('readWriteLock')) {
    all.multiLock = multiLockSuite as unknown as Suite<never>;
    all.quorumLock = quorumLockSuite as unknown as Suite<never>;
  }
  for (const name of Object.keys(skip) as SuiteName[]) {
    if (all[name] === undefined) throw new TypeError(`There is no suite "${name}" to skip cases of.`);
  }
  for (const [name, suite] of Object.entries(all)) {
    suite({
      describe,
      test,
      harness,
      skip: skip[name as SuiteName] ?? [],
    });
  }
}
