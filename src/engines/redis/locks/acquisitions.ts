import type { Scripts } from '../requests/scripts.ts';

/** An acquisition in flight, or one of which a copy may still arrive. */
export interface OpenAcquisition {
  readonly id: string;
  /** The latest limit of its copies, by the server's clock; undefined while none has been sent. */
  notAfterMs: number | undefined;
  /** Its owner has withdrawn it. */
  withdrawn: boolean;
  /** The same id was sent before, and a copy from then may still arrive, whatever the answer is now. */
  doubtful: boolean;
}

/**
 * Acquisitions of which a copy may still be in flight. An owner that withdraws or releases one of them leaves a tombstone
 * for its id that such a copy finds (soundness 3): a copy that arrived after the release would be granted to no owner, and
 * keep the lock for a whole lease. An acquisition that is withdrawn before it is sent is never sent.
 */
export class Acquisitions {
  readonly #scripts: Scripts;
  /** Keeps the only acquisition out of the map: `Map.set` and `delete` cost more than everything else here. */
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

  /** Records that a copy is about to be sent. Returns false if the acquisition is withdrawn. */
  beginSending(acquisition: OpenAcquisition, notAfterMs: number): boolean {
    if (acquisition.withdrawn) return false;
    acquisition.notAfterMs = Math.max(notAfterMs, acquisition.notAfterMs ?? 0);
    return true;
  }

  /** Records an answer. If only one copy was sent no other can arrive. */
  recordAnswer(acquisition: OpenAcquisition, copies: number): void {
    if (acquisition.withdrawn || (copies <= 1 && !acquisition.doubtful)) this.end(acquisition.id);
  }

  /** Whether a copy may still arrive. */
  has(id: string): boolean {
    return this.#find(id) !== undefined;
  }

  /** Withdraws an acquisition, or releases its grant. Returns how long the tombstone must stay; 0 if none is needed. */
  withdraw(key: string, id: string): number {
    const acquisition = this.#find(id);
    if (acquisition === undefined) return 0;
    acquisition.withdrawn = true;
    if (acquisition.notAfterMs !== undefined) return this.#scripts.outlastsMs(key, acquisition.notAfterMs);
    // It is never sent, and its id is never used again.
    this.end(id);
    return 0;
  }

  /** Forgets an acquisition: its tombstone is in place, or no copy can arrive. */
  end(id: string): void {
    if (this.#only?.id === id) this.#only = undefined;
    else this.#underWay.delete(id);
  }

  #find(id: string): OpenAcquisition | undefined {
    if (this.#only?.id === id) return this.#only;
    return this.#underWay.size === 0 ? undefined : this.#underWay.get(id);
  }
}
