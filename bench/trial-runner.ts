import { FreshGrounds, type Grounds } from './grounds.ts';
import { runInterleaved } from './run-interleaved.ts';
import type { Place } from './place.ts';
import { onProcessors } from './own-processors.ts';
import { Performer } from './performer.ts';
import { planOf } from './plan.ts';
import type { Speed } from './run-record.ts';
import { shuffled } from './shuffled.ts';
import type { Figures, Trial } from './trial.ts';

export interface TrialSeries {
  readonly contestant: string;
  readonly rounds: readonly Figures[];
}

/** A contestant whose process ended in the middle of a trial: none of its figures count. */
export interface Crashed {
  readonly contestant: string;
  readonly why: string;
}

export interface TrialResult {
  readonly trial: string;
  readonly engine: string;
  readonly series: readonly TrialSeries[];
  readonly crashed: readonly Crashed[];
}

/**
 * Measures contestants of a trial in interleaved rounds, in a place that no other program uses meanwhile. A contestant that
 * crashes takes no part from then on, and the others go on: hours of figures must not be lost with one of them.
 */
export async function measureTrial(
  trial: Trial,
  contestants: readonly string[],
  speed: Speed,
  grounds: Grounds,
): Promise<TrialResult> {
  const plan = planOf(trial.pace[speed]);
  const series = contestants.map((contestant) => ({ contestant, rounds: [] as Figures[] }));
  const crashes = new Map<string, string>();
  const performOn = async (stage: Stage, entries: readonly (typeof series)[number][]): Promise<void> => {
    try {
      await runInterleaved(entries, plan, async ({ contestant, rounds }, counts) => {
        if (crashes.has(contestant)) return;
        try {
          const figures = await stage.figures(contestant, plan.roundMs);
          if (counts) rounds.push(figures);
        } catch (error) {
          crashes.set(contestant, String(error));
        }
      });
    } finally {
      await stage.close();
    }
  };
  if (trial.alone === 'each round') await performOn(new LonelyStage(trial, speed), series);
  else if (trial.alone === 'all rounds') {
    for (const entry of shuffled(series, plan.random))
      await performOn(await SharedStage.open(trial, speed, [entry.contestant], new FreshGrounds()), [entry]);
  } else if (trial.young) await performOn(await YoungStage.open(trial, speed, grounds), series);
  else await performOn(await SharedStage.open(trial, speed, contestants, grounds), series);
  return {
    trial: trial.name,
    engine: trial.engine,
    series: series.filter(({ contestant }) => !crashes.has(contestant)),
    crashed: [...crashes].map(([contestant, why]) => ({ contestant, why })),
  };
}

/** Where contestants perform. */
interface Stage {
  figures(contestant: string, roundMs: number): Promise<Figures>;
  close(): Promise<void>;
}

/** The place of a trial, and the processors of those that perform on it. */
class Ground {
  readonly #trial: Trial;
  readonly #speed: Speed;
  readonly #place: Place;
  readonly #grounds: Grounds;

  private constructor(trial: Trial, speed: Speed, place: Place, grounds: Grounds) {
    this.#trial = trial;
    this.#speed = speed;
    this.#place = place;
    this.#grounds = grounds;
  }

  static async open(trial: Trial, speed: Speed, grounds: Grounds): Promise<Ground> {
    // One that stands already may be on any processor.
    const own = trial.apart ? new FreshGrounds() : grounds;
    const started = () => own.placeOf(trial.engine);
    const place = await (trial.apart ? onProcessors('the first', started) : started());
    return new Ground(trial, speed, place, own);
  }

  async call(contestants: readonly string[]): Promise<ReadonlyMap<string, Performer>> {
    const trial = this.#trial;
    const called = async () =>
      contestants.map((name) => [name, new Performer(trial, this.#speed, name, this.#place)] as const);
    return new Map(await (trial.apart ? onProcessors('the others', called) : called()));
  }

  leave(): Promise<void> {
    return this.#grounds.leave(this.#place);
  }
}

/**
 * A process for each contestant that lives through all rounds, and one place for all of them. Every contestant is ready before
 * the first round begins: the start of one would take the processor from the one that is measured.
 */
class SharedStage implements Stage {
  readonly #ground: Ground;
  readonly #performers: ReadonlyMap<string, Performer>;

  private constructor(ground: Ground, performers: ReadonlyMap<string, Performer>) {
    this.#ground = ground;
    this.#performers = performers;
  }

  static async open(
    trial: Trial,
    speed: Speed,
    contestants: readonly string[],
    grounds: Grounds,
  ): Promise<SharedStage> {
    const ground = await Ground.open(trial, speed, grounds);
    const performers = await ground.call(contestants);
    // The first round reports one that crashes here.
    await Promise.allSettled([...performers.values()].map(({ ready }) => ready));
    return new SharedStage(ground, performers);
  }

  async figures(contestant: string, roundMs: number): Promise<Figures> {
    const performer = this.#performers.get(contestant);
    if (performer === undefined) throw new RangeError(`${contestant} was not called`);
    return performer.figures(roundMs);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#performers.values()].map((performer) => performer.end()));
    await this.#ground.leave();
  }
}

/** One place for all rounds, and for each contestant a new process in each of them. */
class YoungStage implements Stage {
  readonly #ground: Ground;

  private constructor(ground: Ground) {
    this.#ground = ground;
  }

  static async open(trial: Trial, speed: Speed, grounds: Grounds): Promise<YoungStage> {
    return new YoungStage(await Ground.open(trial, speed, grounds));
  }

  async figures(contestant: string, roundMs: number): Promise<Figures> {
    const [performer] = (await this.#ground.call([contestant])).values();
    try {
      return await performer!.figures(roundMs);
    } finally {
      await performer!.end();
    }
  }

  close(): Promise<void> {
    return this.#ground.leave();
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
