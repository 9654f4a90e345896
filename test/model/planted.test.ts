import type fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { Difference } from './difference.ts';
import { fairLockKind } from './fair-lock-kind.ts';
import { holdingPrograms } from './holding-programs.ts';
import { runHolding } from './holding-run.ts';
import { latchPrograms, runLatch } from './latch-run.ts';
import { lockKind } from './lock-kind.ts';
import { ModelStage } from './model-stage.ts';
import { permitSemaphoreKind } from './permit-semaphore-kind.ts';
import { PLANTED_FAULTS, type PlantedFault } from './planted-faults.ts';
import { readWriteLockKind } from './read-write-lock-kind.ts';
import { firstDifference, programsOf, seed } from './run-programs.ts';
import { scriptSources } from './script-sources.ts';
import { bareSemaphoreKind } from './bare-semaphore-kind.ts';

/** The rarest of them takes a few hundred. */
const PROGRAMS = 5000;

let stage: ModelStage;

type Instead = ReadonlyMap<string, string>;
type Found = Promise<{ readonly error: unknown } | undefined>;

function search<P>(arbitrary: fc.Arbitrary<P>, run: (program: P) => Promise<void>): Found {
  return firstDifference(programsOf(arbitrary, PROGRAMS), run);
}

const searches: Readonly<Record<PlantedFault['kind'], (instead: Instead) => Found>> = {
  lock: (instead) => search(holdingPrograms, (one) => runHolding(stage, lockKind, one, instead)),
  fairLock: (instead) => search(holdingPrograms, (one) => runHolding(stage, fairLockKind, one, instead)),
  readWriteLock: (instead) =>
    search(holdingPrograms, (one) => runHolding(stage, readWriteLockKind, one, instead)),
  bareSemaphore: (instead) =>
    search(holdingPrograms, (one) => runHolding(stage, bareSemaphoreKind, one, instead)),
  permitSemaphore: (instead) =>
    search(holdingPrograms, (one) => runHolding(stage, permitSemaphoreKind, one, instead)),
  latch: (instead) => search(latchPrograms, (one) => runLatch(stage, one, instead)),
};

describeRedis(`the model notices a planted fault, seed ${seed}`, () => {
  beforeAll(async () => {
    stage = await ModelStage.open();
  });
  afterAll(() => stage.close());

  test.each(PLANTED_FAULTS)('$kind: $what', { timeout: 60_000 }, async ({ kind, script, find, replace }) => {
    const source = scriptSources.find(({ name }) => name === script)!.source;
    expect(source.split(find), 'the fault fits the script').toHaveLength(2);
    const broken = await stage.load(source.replace(find, () => replace));
    const found = await searches[kind](new Map([[script, broken]]));
    expect(found?.error).toBeInstanceOf(Difference);
  });
});
