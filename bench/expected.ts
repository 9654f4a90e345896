import { sumOf } from './shares.ts';
import type { Trial } from './trial.ts';

/** Until a process has started, loaded a library and connected. */
const START_MS = 400;
/** A trial takes this many times as long as its rounds: late contestants, and the questions before and after. */
const BESIDES = 1.15;
/** Until the place of each engine is there. */
const PLACE_MS: Readonly<Record<string, number>> = {
  postgres: 3000,
  mysql: 3000,
  zookeeper: 2000,
  etcd: 1000,
};

/** How long the trials will take with so many contestants each: near enough to decide whether to wait for it. */
export function expectedMs(
  trials: readonly Trial[],
  contestantsOf: (trial: Trial) => readonly string[],
  speed: 'full' | 'quick',
): number {
  const performing = sumOf(trials.map((trial) => performingMs(trial, contestantsOf(trial).length, speed)));
  // Quick trials share the place of the trial before them.
  const shared = speed === 'quick' ? new Set(trials.map(({ engine }) => engine)) : trials.map(engineOf);
  return performing + sumOf([...shared].map((engine) => PLACE_MS[engine] ?? 0));
}

function performingMs(
  { engine, pace, openMs = 0, alone, young }: Trial,
  contestants: number,
  speed: 'full' | 'quick',
) {
  const { rounds, warmUpRounds, roundMs } = pace[speed];
  const performed = contestants * (rounds + warmUpRounds);
  const opened = alone === 'each round' || young ? performed : contestants;
  const placeMs = alone ? (PLACE_MS[engine] ?? 0) : 0;
  return opened * (placeMs + START_MS + openMs) + performed * roundMs * BESIDES;
}

function engineOf({ engine }: Trial): string {
  return engine;
}

export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
