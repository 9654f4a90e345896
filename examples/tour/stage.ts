import { setTimeout as sleep } from 'node:timers/promises';
import { say, styled } from './screen.ts';
import type { Crew } from './worker.ts';
import { workshop } from './workshop.ts';

/** The lease of the tour's holds: short, so that a reader need not watch half a minute pass. */
export const LEASE_MS = 1500;
const LONGEST_SCENE_MS = 30_000;

/** What a scene has to work with. */
export interface Stage extends Omit<Crew, 'close'> {
  readonly leaseMs: number;
  /** A moment to look, in milliseconds; short when the tour has to hurry. */
  moment(ms: number): Promise<void>;
  /** Asks again until it is so. */
  until(isSo: () => boolean | Promise<boolean>): Promise<void>;
  /** What the scene set out to show, and whether it did. */
  claim(what: string, isTrue: boolean): void;
}

export interface Scene {
  readonly title: string;
  readonly sentence: string;
  play(stage: Stage): Promise<void>;
}

/** Plays a scene; answers whether everything it claims was so. */
export async function play(scene: Scene, quick: boolean): Promise<boolean> {
  const crew = workshop.open(LEASE_MS);
  const over = new AbortController();
  let allTrue = true;
  const stage: Stage = {
    locks: crew.locks,
    start: crew.start,
    leaseMs: LEASE_MS,
    moment: (ms) => sleep(quick ? ms / 10 : ms),
    until: async (isSo) => {
      while (!over.signal.aborted && !(await isSo())) await sleep(5);
    },
    claim: (what, isTrue) => {
      allTrue &&= isTrue;
      say(isTrue ? styled('green', `  ✓ ${what}`) : styled('red', `  ✗ NOT SO: ${what}`));
    },
  };
  try {
    await Promise.race([scene.play(stage), tooLong(over.signal)]);
    return allTrue;
  } catch (error) {
    say(styled('red', `  ✗ ${error instanceof Error ? error.message : String(error)}`));
    return false;
  } finally {
    over.abort();
    await crew.close();
  }
}

async function tooLong(over: AbortSignal): Promise<never> {
  await sleep(LONGEST_SCENE_MS, undefined, { signal: over }).catch(() => undefined);
  throw new Error(`the scene did not end within ${LONGEST_SCENE_MS / 1000} s`);
}
