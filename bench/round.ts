import type { Bout, Scenario } from './scenario.ts';

/** Pairs per second in one round. */
export async function measureRound(
  scenario: Scenario,
  bout: Bout,
  roundMs: number,
  now: () => number,
): Promise<number> {
  const start = now();
  let pairs = 0;
  let elapsedMs = 0;
  while (elapsedMs < roundMs) {
    await scenario.perform(bout, scenario.pairs);
    pairs += scenario.pairs;
    elapsedMs = now() - start;
  }
  return (pairs / elapsedMs) * 1000;
}
