import type { YieldPause } from '../acquire/wait.ts';

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 200;

/**
 * The pause that a client makes before its next attempt at a lock which it has just released while owners of other clients
 * waited (soundness 15). Its own attempt in the same turn would beat every one of theirs, without end: their wake-up takes a
 * round trip. The pause doubles while no other client makes use of it.
 */
export class YieldToOthers {
  #pauseMs = FIRST_PAUSE_MS;
  #releasedAt: number;

  constructor(releasedAt: number) {
    this.#releasedAt = releasedAt;
  }

  /** Counts from this release on, and for as long as before. */
  restart(now: number): void {
    this.#releasedAt = now;
  }

  /** What is left of the pause. Time that has passed since the release counts: others have had it to come in. */
  pauseFrom(now: number): YieldPause | undefined {
    const ms = this.#releasedAt + this.#pauseMs - now;
    return ms > 0 ? { ms, used: false } : undefined;
  }

  /** No other client made use of the pause. */
  lengthen(): void {
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }
}
