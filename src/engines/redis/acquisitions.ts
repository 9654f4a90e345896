import type { Calls } from './calls.ts';

/** An acquisition that is under way, or of which a copy may still be. */
export interface Acquisition {
  readonly id: string;
  /** Until when, by the server's clock, a copy can be carried out; undefined while none has been sent. */
  notAfterMs: number | undefined;
  /** Its owner has given up. */
  withdrawn: boolean;
  /** It was asked for before, and a copy from then may still come, whatever the answer is now. */
  doubtful: boolean;
}

/** Looking for what can be forgotten is worth it from this number on. */
const MANY = 1000;

/**
 * Acquisitions of which a copy may still be on its way. Whoever gives one of them up, or gives back what it brought,
 * leaves a tombstone for its id that such a copy finds (soundness 3): a copy that came after the release would be
 * granted to nobody, and stand for a whole lease. One that has not been sent yet is not sent any more.
 */
export class Acquisitions {
  readonly #calls: Calls;
  readonly #underWay = new Map<string, Acquisition>();

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  begin(id: string): Acquisition {
    if (this.#underWay.size >= MANY) this.#forgetUnsent();
    const known = this.#underWay.get(id);
    if (known !== undefined) {
      known.doubtful = true;
      return known;
    }
    const acquisition = { id, notAfterMs: undefined, withdrawn: false, doubtful: false };
    this.#underWay.set(id, acquisition);
    return acquisition;
  }

  /** It is about to be sent. False if it is no longer wanted. */
  sending(acquisition: Acquisition, notAfterMs: number): boolean {
    if (acquisition.withdrawn) return false;
    acquisition.notAfterMs = Math.max(notAfterMs, acquisition.notAfterMs ?? 0);
    return true;
  }

  /** It was answered. If one copy was sent no other can come. */
  answered(acquisition: Acquisition, copies: number): void {
    if (acquisition.withdrawn || (copies <= 1 && !acquisition.doubtful))
      this.#underWay.delete(acquisition.id);
  }

  /** Whether a copy may still come. */
  has(id: string): boolean {
    return this.#underWay.has(id);
  }

  /** Its owner gives it up or gives it back: how long the tombstone must stay; 0 if none is needed. */
  withdraw(key: string, id: string): number {
    const acquisition = this.#underWay.get(id);
    if (acquisition === undefined) return 0;
    acquisition.withdrawn = true;
    return acquisition.notAfterMs === undefined ? 0 : this.#calls.outlastsMs(key, acquisition.notAfterMs);
  }

  /** Those that failed before they were sent, and were withdrawn: nobody will ever ask for them again. */
  #forgetUnsent(): void {
    for (const [id, { withdrawn, notAfterMs }] of this.#underWay) {
      if (withdrawn && notAfterMs === undefined) this.#underWay.delete(id);
    }
  }

  /** The tombstone is in its place. */
  over(id: string): void {
    this.#underWay.delete(id);
  }
}
