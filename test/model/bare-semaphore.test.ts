import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { holdingPrograms } from './holding-programs.ts';
import { runHolding } from './holding-run.ts';
import { bareSemaphoreKind } from './bare-semaphore-kind.ts';
import { ModelStage } from './model-stage.ts';
import { expectNoDifference, PROGRAMS, seed } from './run-programs.ts';

describeRedis(`the bare semaphore in Redis and its rule, seed ${seed}`, () => {
  let stage: ModelStage;
  beforeAll(async () => {
    stage = await ModelStage.open();
  });
  afterAll(() => stage.close());

  test(`agree on ${PROGRAMS} programs`, { timeout: 120_000 }, async () => {
    await expect(
      expectNoDifference(holdingPrograms, (program) => runHolding(stage, bareSemaphoreKind, program)),
    ).resolves.toBeUndefined();
  });
});
