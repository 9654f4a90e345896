import type fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { ModelStage } from './model-stage.ts';
import { expectNoDifference, PROGRAMS, seed } from './run-programs.ts';

/** Runs random programs of one kind through the scripts in Redis and through the rule, and compares the answers. */
export function describeModel<P>(
  what: string,
  programs: fc.Arbitrary<P>,
  run: (stage: ModelStage, program: P) => Promise<void>,
): void {
  describeRedis(`${what} in Redis and its rule, seed ${seed}`, () => {
    let stage: ModelStage;
    beforeAll(async () => {
      stage = await ModelStage.open();
    });
    afterAll(() => stage.close());

    test(`agree on ${PROGRAMS} programs`, { timeout: 120_000 }, async () => {
      await expect(expectNoDifference(programs, (program) => run(stage, program))).resolves.toBeUndefined();
    });
  });
}
