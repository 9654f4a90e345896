import { interleaved, type Plan } from './interleaved.ts';
import type { Contestant, Scenario } from './scenario.ts';
import type { Stage } from './stage.ts';

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

/** Measures all contestants of all scenarios in every round. */
export async function measure(scenarios: readonly Scenario[], plan: Plan, stage: Stage): Promise<Result[]> {
  const entries = scenarios.flatMap(entriesOf);
  await interleaved(entries, plan, async ({ scenario, contestant, rates }, counts) => {
    const rate = await stage.rate(scenario, contestant, plan.roundMs);
    if (counts) rates.push(rate);
  });
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
