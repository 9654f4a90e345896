import type { Scripts } from '../requests/scripts.ts';

/** An acquisition that is under way, or of which a copy may still be. */
export interface OpenAcquisition {
  readonly id: string;
  /** Until when, by the server's clock, a copy can be carried out; undefined while none has been sent. */
  notAfterMs: number | undefined;
  /** Its owner has given up. */
  withdrawn: boolean;
  /** It was asked for before, and a copy from then may still come, whatever the answer is now. */
  doubtful: boolean;
}

/**
 * Acquisitions of which a copy may still be on its way. Whoever gives one of them up, or gives back what it brought,
 * leaves a tombstone for its id that such a copy finds (soundness 3): a copy that came after the release would be
 * granted to nobody, and stand for a whole lease. One that has not been sent yet is not sent any more.
 */
export class Acquisitions {
  readonly #scripts: Scripts;
  /** While there is but one it is not in the map: to put it there and take it out again costs more than all else here. */
  #only: OpenAcquisition | undefined;
  readonly #underWay = new Map<string, OpenAcquisition>();

  constructor(scripts: Scripts) {
    this.#scripts = scripts;
  }

  begin(id: string): OpenAcquisition {
    const known = this.#find(id);
    if (known !== undefined) {
      known.doubtful = true;
      return known;
    }
    const acquisition = { id, notAfterMs: undefined, withdrawn: false, doubtful: false };
    if (this.#only === undefined) this.#only = acquisition;
    else this.#underWay.set(id, acquisition);
    return acquisition;
  }

  /** It is about to be sent. False if it is no longer wanted. */
  beginSending(acquisition: OpenAcquisition, notAfterMs: number): boolean {
    if (acquisition.withdrawn) return false;
    acquisition.notAfterMs = Math.max(notAfterMs, acquisition.notAfterMs ?? 0);
    return true;
  }

  /** It was answered. If one copy was sent no other can come. */
  recordAnswer(acquisition: OpenAcquisition, copies: number): void {
    if (acquisition.withdrawn || (copies <= 1 && !acquisition.doubtful)) this.end(acquisition.id);
  }

  /** Whether a copy may still come. */
  has(id: string): boolean {
    return this.#find(id) !== undefined;
  }

  /** Its owner gives it up or gives it back: how long the tombstone must stay; 0 if none is needed. */
  withdraw(key: string, id: string): number {
    const acquisition = this.#find(id);
    if (acquisition === undefined) return 0;
    acquisition.withdrawn = true;
    if (acquisition.notAfterMs !== undefined) return this.#scripts.outlastsMs(key, acquisition.notAfterMs);
    // It will not be sent any more, and nobody will ever ask for it again.
    this.end(id);
    return 0;
  }

  /** The tombstone is in its place. */
  end(id: string): void {
    if (this.#only?.id === id) this.#only = undefined;
    else this.#underWay.delete(id);
  }

  #find(id: string): OpenAcquisition | undefined {
    if (this.#only?.id === id) return this.#only;
    return this.#underWay.size === 0 ? undefined : this.#underWay.get(id);
  }
}
