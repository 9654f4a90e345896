import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { latchPrograms, runLatch } from './latch-run.ts';
import { ModelStage } from './model-stage.ts';
import { expectNoDifference, PROGRAMS, seed } from './run-programs.ts';

describeRedis(`the latch in Redis and its rule, seed ${seed}`, () => {
  let stage: ModelStage;
  beforeAll(async () => {
    stage = await ModelStage.open();
  });
  afterAll(() => stage.close());

  test(`agree on ${PROGRAMS} programs`, { timeout: 120_000 }, async () => {
    await expect(
      expectNoDifference(latchPrograms, (program) => runLatch(stage, program)),
    ).resolves.toBeUndefined();
  });
});
