import type { Contestant, Scenario } from './scenario.ts';
import { shuffled } from './shuffled.ts';
import type { Stage } from './stage.ts';

export interface Plan {
  readonly rounds: number;
  readonly warmUpRounds: number;
  /** How long each contestant is measured in each round. */
  readonly roundMs: number;
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
export async function measure(scenarios: readonly Scenario[], plan: Plan, stage: Stage): Promise<Result[]> {
  const entries = scenarios.flatMap(entriesOf);
  for (let round = 1 - plan.warmUpRounds; round <= plan.rounds; round += 1) {
    plan.onRound?.(round);
    for (const entry of shuffled(entries, plan.random)) {
      const rate = await stage.rate(entry.scenario, entry.contestant, plan.roundMs);
      if (round > 0) entry.rates.push(rate);
    }
  }
  await stage.close();
  return scenarios.map((scenario) => resultOf(scenario, entries));
}

function entriesOf(scenario: Scenario): Entry[] {
  return scenario.contestants.map((contestant) => ({ scenario, contestant, rates: [] }));
}

function resultOf(scenario: Scenario, entries: readonly Entry[]): Result {
  const { name, engine, baseline } = scenario;
  const series = entries
    .filter((entry) => entry.scenario === scenario)
    .map(({ contestant, rates }) => ({ contestant: contestant.name, rates }));
  return { scenario: name, engine, baseline, series };
}
