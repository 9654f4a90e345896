import { FreshGrounds, StandingGrounds } from './grounds.ts';
import { load } from './machine.ts';
import type { Trial } from './trial.ts';
import { measureTrial, type TrialResult } from './trial-runner.ts';
import { type Verdict, verdictsOf } from './verdict.ts';

export interface Judged {
  readonly trial: Trial;
  readonly result: TrialResult;
  readonly verdicts: readonly Verdict[];
  /** The load average of the machine before it and after it, our own work included. */
  readonly load: readonly [before: number, after: number];
}

/** Measures one trial after the other. */
export async function* measureTrials(
  trials: readonly Trial[],
  speed: 'full' | 'quick',
  contestantsOf: (trial: Trial) => readonly string[],
): AsyncGenerator<Judged> {
  const grounds = speed === 'quick' ? new StandingGrounds() : new FreshGrounds();
  try {
    for (const trial of trials) {
      process.stderr.write(`${trial.name}\n`);
      const before = load();
      const result = await measureTrial(trial, contestantsOf(trial), speed, grounds);
      yield { trial, result, verdicts: verdictsOf(trial, result), load: [before, load()] };
    }
  } finally {
    await grounds.close();
  }
}

export function everybodyOf({ contestants }: Trial): readonly string[] {
  return contestants.map(({ name }) => name);
}

/** The contestants of a quick run. */
export function quicklyOf(trial: Trial): readonly string[] {
  return trial.quickly ?? everybodyOf(trial);
}

/** The contestants whose figures the promises are made of. */
export function promisedOf({ promises }: Trial): readonly string[] {
  return [...new Set(promises.flatMap(({ of }) => of))];
}
