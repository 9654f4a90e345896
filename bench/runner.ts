import type { Contestant, Scenario } from './scenario.ts';
import { shuffled } from './shuffled.ts';

export interface Plan {
  readonly rounds: number;
  readonly warmUpRounds: number;
  /** How long each contestant is measured in each round. */
  readonly roundMs: number;
  /** Milliseconds that only go forward. */
  readonly now: () => number;
  readonly random: () => number;
  readonly onRound?: (round: number) => void;
}

export interface Series {
  readonly contestant: string;
  /** Pairs per second, one number for each round. */
  readonly rates: readonly number[];
}

export interface Result {
  readonly scenario: string;
  readonly engine: string;
  readonly baseline: string;
  readonly series: readonly Series[];
}

interface Entry {
  readonly scenario: Scenario;
  readonly contestant: Contestant;
  readonly rates: number[];
}

/**
 * Measures all contestants of all scenarios in every round, in a new order each time: what slows the machine for a
 * while, or what one contestant leaves behind for the next, then falls on everyone alike.
 */
export async function measure(scenarios: readonly Scenario[], plan: Plan): Promise<Result[]> {
  const entries = scenarios.flatMap(entriesOf);
  for (let round = 1 - plan.warmUpRounds; round <= plan.rounds; round += 1) {
    plan.onRound?.(round);
    for (const entry of shuffled(entries, plan.random)) {
      const rate = await rateOf(entry, plan);
      if (round > 0) entry.rates.push(rate);
    }
  }
  return scenarios.map((scenario) => resultOf(scenario, entries));
}

function entriesOf(scenario: Scenario): Entry[] {
  return scenario.contestants.map((contestant) => ({ scenario, contestant, rates: [] }));
}

async function rateOf({ scenario, contestant }: Entry, { roundMs, now }: Plan): Promise<number> {
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

function resultOf(scenario: Scenario, entries: readonly Entry[]): Result {
  const { name, engine, baseline } = scenario;
  const series = entries
    .filter((entry) => entry.scenario === scenario)
    .map(({ contestant, rates }) => ({ contestant: contestant.name, rates }));
  return { scenario: name, engine, baseline, series };
}
