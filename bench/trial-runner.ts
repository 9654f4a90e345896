import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { asked } from './asked.ts';
import { interleaved } from './interleaved.ts';
import { planOf } from './plan.ts';
import type { Place } from './place.ts';
import { places } from './places.ts';
import type { Figures, Trial } from './trial.ts';

export interface TrialSeries {
  readonly contestant: string;
  readonly rounds: readonly Figures[];
}

export interface TrialResult {
  readonly trial: string;
  readonly engine: string;
  readonly series: readonly TrialSeries[];
}

/** Measures contestants of a trial in interleaved rounds, in a place that nobody else uses. */
export async function measureTrial(
  trial: Trial,
  contestants: readonly string[],
  speed: 'full' | 'quick',
): Promise<TrialResult> {
  const plan = planOf(trial.pace[speed]);
  const stage = trial.alone ? new LonelyStage(trial) : new SharedStage(trial);
  const series = contestants.map((contestant) => ({ contestant, rounds: [] as Figures[] }));
  try {
    await interleaved(series, plan, async ({ contestant, rounds }, counts) => {
      const figures = await stage.figures(contestant, plan.roundMs);
      if (counts) rounds.push(figures);
    });
  } finally {
    await stage.close();
  }
  return { trial: trial.name, engine: trial.engine, series };
}

/** A process for each contestant that lives through all rounds, and one place for all of them. */
class SharedStage {
  readonly #trial: Trial;
  readonly #performers = new Map<string, ChildProcess>();
  #place: Place | undefined;

  constructor(trial: Trial) {
    this.#trial = trial;
  }

  async figures(contestant: string, roundMs: number): Promise<Figures> {
    const place = (this.#place ??= await placeOf(this.#trial));
    const performer = this.#performers.get(contestant) ?? performerOf(this.#trial, contestant, place);
    this.#performers.set(contestant, performer);
    return asked(performer, roundMs);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#performers.values()].map(ended));
    await this.#place?.stop();
  }
}

/** A process and a place for each contestant in each round. */
class LonelyStage {
  readonly #trial: Trial;

  constructor(trial: Trial) {
    this.#trial = trial;
  }

  async figures(contestant: string, roundMs: number): Promise<Figures> {
    const stage = new SharedStage(this.#trial);
    try {
      return await stage.figures(contestant, roundMs);
    } finally {
      await stage.close();
    }
  }

  async close(): Promise<void> {}
}

function placeOf({ engine }: Trial): Promise<Place> {
  const start = places[engine];
  if (start === undefined) throw new RangeError(`nobody knows what ${engine} needs`);
  return start();
}

function performerOf(trial: Trial, contestant: string, { port, folder }: Place): ChildProcess {
  const path = fileURLToPath(new URL('./trial-performer.js', import.meta.url));
  return fork(path, [trial.engine, trial.name, contestant, String(port), folder]);
}

async function ended(performer: ChildProcess): Promise<void> {
  if (performer.exitCode !== null || performer.signalCode !== null) return;
  const exit = once(performer, 'exit');
  performer.disconnect();
  await exit;
}
