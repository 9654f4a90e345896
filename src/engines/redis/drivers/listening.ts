/** What has events: every client is one of these. */
export interface Emitter {
  on(event: string, listener: (...args: never[]) => void): unknown;
  once(event: string, listener: (...args: never[]) => void): unknown;
  off(event: string, listener: (...args: never[]) => void): unknown;
}

/** The listeners that we have put on a client, most often on one of the user's: all of them can be taken off at once. */
export class Listening {
  readonly #emitter: Emitter;
  readonly #stops = new Set<() => void>();

  constructor(emitter: Emitter) {
    this.#emitter = emitter;
  }

  on(event: string, listener: () => void): () => void {
    // A function of its own, so that the same listener can be given twice and taken off once.
    const call = (): void => listener();
    const stop = (): void => {
      this.#emitter.off(event, call);
      this.#stops.delete(stop);
    };
    this.#emitter.on(event, call);
    this.#stops.add(stop);
    return stop;
  }

  stopAll(): void {
    for (const stop of this.#stops) stop();
  }
}
