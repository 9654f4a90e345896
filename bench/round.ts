import type { Contestant, Scenario } from './scenario.ts';

/** Pairs per second of one contestant in one round. */
export async function measureRound(
  scenario: Scenario,
  contestant: Contestant,
  roundMs: number,
  now: () => number,
): Promise<number> {
  const bout = await contestant.open();
  try {
    const start = now();
    let pairs = 0;
    let elapsedMs = 0;
    while (elapsedMs < roundMs) {
      await scenario.perform(bout, scenario.pairs);
      pairs += scenario.pairs;
      elapsedMs = now() - start;
    }
    return (pairs / elapsedMs) * 1000;
  } finally {
    await bout.close();
  }
}
