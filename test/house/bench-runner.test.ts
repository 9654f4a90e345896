import { expect, test } from 'vitest';
import { measure } from '../../bench/runner.ts';
import { sharedStage } from '../../bench/stage.ts';
import type { Contestant, Scenario } from '../../bench/scenario.ts';

let nowMs = 0;

function taking(name: string, pairMs: number, log: string[]): Contestant {
  return {
    name,
    open: async () => ({
      loop: async (pairs) => {
        nowMs += pairs * pairMs;
      },
      close: async () => void log.push(name),
    }),
  };
}

test('every contestant runs once in every round, and the warm-up is not counted', async () => {
  const log: string[] = [];
  const scenario: Scenario = {
    name: 'pair',
    engine: 'none',
    baseline: 'slow',
    contestants: [taking('slow', 2, log), taking('fast', 1, log)],
    pairs: 10,
    perform: (bout, pairs) => bout.loop(pairs),
  };
  let draws = 0;
  const plan = {
    rounds: 3,
    warmUpRounds: 1,
    roundMs: 100,
    random: () => (draws += 0.3) % 1,
  };

  const [result] = await measure(
    [scenario],
    plan,
    sharedStage(() => nowMs),
  );

  expect(result?.series).toEqual([
    { contestant: 'slow', rates: [500, 500, 500] },
    { contestant: 'fast', rates: [1000, 1000, 1000] },
  ]);
  const rounds = [0, 2, 4, 6].map((start) => log.slice(start, start + 2).toSorted());
  expect(rounds).toEqual(Array.from({ length: 4 }, () => ['fast', 'slow']));
});
