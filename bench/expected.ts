import type { Trial } from './trial.ts';

/** Until a process has started, loaded a library and connected. */
const START_MS = 400;
/** So much longer than its rounds it takes, by those who come in late and by what is asked before and after. */
const BESIDES = 1.15;
/** Until the place of each engine is there. */
const PLACE_MS: Readonly<Record<string, number>> = { postgres: 3000, mysql: 3000 };

/** How long a trial will take with so many contestants: near enough to decide whether to wait for it. */
export function expectedMs(
  { engine, pace, openMs = 0, alone }: Trial,
  contestants: number,
  speed: 'full' | 'quick',
): number {
  const { rounds, warmUpRounds, roundMs } = pace[speed];
  const performed = contestants * (rounds + warmUpRounds);
  const opened = alone ? performed : contestants;
  const places = alone ? performed : 1;
  const placeMs = PLACE_MS[engine] ?? 0;
  return places * placeMs + opened * (START_MS + openMs) + performed * roundMs * BESIDES;
}

export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
