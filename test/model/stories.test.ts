import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import type { HoldingAction, HoldingProgram, Wish } from './holding-programs.ts';
import { runHolding } from './holding-run.ts';
import { lockKind } from './lock-kind.ts';
import { ModelStage } from './model-stage.ts';
import { SHORT_PASSES_MS, unitsMs } from './model-time.ts';
import type { Fate } from './program-driver.ts';
import { readWriteLockKind } from './read-write-lock-kind.ts';
import { bareSemaphoreKind } from './bare-semaphore-kind.ts';

const usual: Wish = {
  leaseUnits: 2,
  interestUnits: 1,
  wait: true,
  letIn: false,
  permits: 1,
  side: 'write',
  under: false,
  mistaken: false,
};

function begin(
  client: number,
  wish: Partial<Wish> = {},
  fate: Fate = 'fine',
  after: Fate = 'fine',
): HoldingAction {
  return { do: 'begin', client, wish: { ...usual, ...wish }, fate, after };
}

/** The last that was begun is number 0. */
const ask = (which: number, fate: Fate = 'fine'): HoldingAction => ({
  do: 'ask',
  which,
  fate,
  after: 'fine',
});
const release = (which: number, fate: Fate = 'fine'): HoldingAction => ({ do: 'release', which, fate });
const force = (side: 'read' | 'write', fate: Fate = 'fine'): HoldingAction => ({
  do: 'force',
  client: 0,
  side,
  fence: 'any',
  whose: undefined,
  fate,
});
const deliver: HoldingAction = { do: 'deliver', which: 0 };

function story(...actions: readonly HoldingAction[]): HoldingProgram {
  return { javaToken: false, fencesKeptForEver: false, actions };
}

describeRedis('what once went wrong in Redis', () => {
  let stage: ModelStage;
  beforeAll(async () => {
    stage = await ModelStage.open();
  });
  afterAll(() => stage.close());

  test('a copy from before is refused although the last time it was asked for all went well', async () => {
    const program = story(begin(0), begin(1, {}, 'overtaken'), release(1), ask(0), release(0), deliver);
    await expect(runHolding(stage, lockKind, program)).resolves.toBeUndefined();
  });

  test('a forced release that found no holder does not break a later hold', async () => {
    const program = story(force('write', 'overtaken'), begin(0), deliver);
    await expect(runHolding(stage, lockKind, program)).resolves.toBeUndefined();
  });

  test('permits come back although neither the grant nor the first try to give them back was answered', async () => {
    const program = story(
      begin(0, { permits: 2 }, 'unknown-done', 'unknown-pending'),
      { do: 'pass', ms: SHORT_PASSES_MS[1]! },
      deliver,
    );
    await expect(runHolding(stage, bareSemaphoreKind, program)).resolves.toBeUndefined();
  });

  test('permits come back once, although the first try to give them back arrives after the second', async () => {
    const program = story(begin(0, { permits: 2 }), release(0, 'unknown-pending'), release(0), deliver);
    await expect(runHolding(stage, bareSemaphoreKind, program)).resolves.toBeUndefined();
  });

  test('no copy takes permits for a waiter that has given up, however often it had asked', async () => {
    const program = story(
      begin(0, { permits: 3 }),
      begin(1, { permits: 1 }, 'overtaken'),
      ask(0),
      release(0),
      release(1),
      deliver,
    );
    await expect(runHolding(stage, bareSemaphoreKind, program)).resolves.toBeUndefined();
  });

  test('of several readers the answer names the first, with its own fence', async () => {
    const program = story(begin(0, { side: 'read' }), begin(1, { side: 'read' }), force('read'));
    await expect(runHolding(stage, readWriteLockKind, program)).resolves.toBeUndefined();
  });

  test('a read under a write can be tried again after it was refused', async () => {
    const once = { wait: false, leaseUnits: 1 };
    const program = story(
      begin(0, once),
      { do: 'pass', ms: unitsMs(1) },
      { do: 'java', turn: 4, which: 0, units: 1 },
      begin(0, { ...once, under: true }, 'answer-lost'),
      { do: 'java', turn: 0, which: 0, units: 1 },
      begin(0, { ...once, under: true }),
    );
    await expect(runHolding(stage, readWriteLockKind, program)).resolves.toBeUndefined();
  });

  test('a writer that was read under and forced out is not taken for a reader', async () => {
    const program = story(
      begin(0),
      begin(0, { under: true, leaseUnits: 4 }),
      force('write'),
      begin(1, { side: 'read' }),
      ask(2),
    );
    await expect(runHolding(stage, readWriteLockKind, program)).resolves.toBeUndefined();
  });
});
