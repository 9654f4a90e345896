import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ask } from './ask.ts';
import { FreshGrounds, type Grounds } from './grounds.ts';
import { runInterleaved } from './run-interleaved.ts';
import type { Place } from './place.ts';
import { onProcessors } from './own-processors.ts';
import { planOf } from './plan.ts';
import type { Speed } from './run-record.ts';
import { shuffled } from './shuffled.ts';
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

/** Measures contestants of a trial in interleaved rounds, in a place that no other program uses meanwhile. */
export async function measureTrial(
  trial: Trial,
  contestants: readonly string[],
  speed: Speed,
  grounds: Grounds,
): Promise<TrialResult> {
  const plan = planOf(trial.pace[speed]);
  const series = contestants.map((contestant) => ({ contestant, rounds: [] as Figures[] }));
  const performOn = async (stage: Stage, entries: readonly (typeof series)[number][]): Promise<void> => {
    try {
      await runInterleaved(entries, plan, async ({ contestant, rounds }, counts) => {
        const figures = await stage.figures(contestant, plan.roundMs);
        if (counts) rounds.push(figures);
      });
    } finally {
      await stage.close();
    }
  };
  if (trial.alone === 'each round') await performOn(new LonelyStage(trial, speed), series);
  else if (trial.alone === 'all rounds') {
    for (const entry of shuffled(series, plan.random))
      await performOn(await SharedStage.open(trial, speed, [entry.contestant], new FreshGrounds()), [entry]);
  } else await performOn(await SharedStage.open(trial, speed, contestants, grounds), series);
  return { trial: trial.name, engine: trial.engine, series };
}

/** Where contestants perform. */
interface Stage {
  figures(contestant: string, roundMs: number): Promise<Figures>;
  close(): Promise<void>;
}

/**
 * A process for each contestant that lives through all rounds, and one place for all of them. Every contestant is ready before
 * the first round begins: the start of one would take the processor from the one that is measured.
 */
class SharedStage implements Stage {
  readonly #performers: ReadonlyMap<string, ChildProcess>;
  readonly #leave: () => Promise<void>;

  private constructor(performers: ReadonlyMap<string, ChildProcess>, leave: () => Promise<void>) {
    this.#performers = performers;
    this.#leave = leave;
  }

  static async open(
    trial: Trial,
    speed: Speed,
    contestants: readonly string[],
    grounds: Grounds,
  ): Promise<SharedStage> {
    // One that stands already may be on any processor.
    const own = trial.apart ? new FreshGrounds() : grounds;
    const started = () => own.placeOf(trial.engine);
    const place = await (trial.apart ? onProcessors('the first', started) : started());
    const called = async () =>
      contestants.map((name) => [name, performerOf(trial, speed, name, place)] as const);
    const performers = await (trial.apart ? onProcessors('the others', called) : called());
    const stage = new SharedStage(new Map(performers), () => own.leave(place));
    try {
      await Promise.all(performers.map(([, performer]) => waitUntilReady(performer)));
    } catch (error) {
      await stage.close();
      throw error;
    }
    return stage;
  }

  figures(contestant: string, roundMs: number): Promise<Figures> {
    const performer = this.#performers.get(contestant);
    if (performer === undefined) throw new RangeError(`${contestant} was not called`);
    return ask(performer, roundMs);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#performers.values()].map(endPerformer));
    await this.#leave();
  }
}

/** A process and a place for each contestant in each round. */
class LonelyStage implements Stage {
  readonly #trial: Trial;
  readonly #speed: Speed;

  constructor(trial: Trial, speed: Speed) {
    this.#trial = trial;
    this.#speed = speed;
  }

  async figures(contestant: string, roundMs: number): Promise<Figures> {
    const stage = await SharedStage.open(this.#trial, this.#speed, [contestant], new FreshGrounds());
    try {
      return await stage.figures(contestant, roundMs);
    } finally {
      await stage.close();
    }
  }

  async close(): Promise<void> {}
}

function performerOf(trial: Trial, speed: Speed, contestant: string, { port, folder }: Place): ChildProcess {
  const path = fileURLToPath(new URL('./trial-performer.js', import.meta.url));
  return fork(path, [trial.engine, trial.name, contestant, String(port), folder, speed]);
}

/** Waits until the process says that it is ready. */
async function waitUntilReady(performer: ChildProcess): Promise<void> {
  const gone = new AbortController();
  performer.once('exit', () => gone.abort(new Error('a contestant ended before it was ready')));
  await once(performer, 'message', { signal: gone.signal });
}

async function endPerformer(performer: ChildProcess): Promise<void> {
  if (performer.exitCode !== null || performer.signalCode !== null) return;
  const exit = once(performer, 'exit');
  performer.disconnect();
  await exit;
}
