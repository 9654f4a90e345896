/** What has events: every client is one of these. */
export interface Emitter {
  on(event: string, listener: (...args: never[]) => void): unknown;
  once(event: string, listener: (...args: never[]) => void): unknown;
  off(event: string, listener: (...args: never[]) => void): unknown;
}

/** One listener of ours on a client, and all those behind it. */
interface Ear {
  readonly calls: Set<() => void>;
  readonly hear: () => void;
}

/** Many engine objects may share one client, which would warn of a leak at the eleventh listener: they share one too. */
const ears = new WeakMap<Emitter, Map<string, Ear>>();

function listen(emitter: Emitter, event: string, call: () => void): () => void {
  const ofClient = ears.get(emitter) ?? new Map<string, Ear>();
  ears.set(emitter, ofClient);
  let ear = ofClient.get(event);
  if (ear === undefined) {
    const calls = new Set<() => void>();
    const hear = (): void => {
      for (const one of calls) one();
    };
    ear = { calls, hear };
    ofClient.set(event, ear);
    emitter.on(event, hear);
  }
  const { calls, hear } = ear;
  calls.add(call);
  return () => {
    calls.delete(call);
    if (calls.size > 0 || ofClient.get(event)?.hear !== hear) return;
    ofClient.delete(event);
    emitter.off(event, hear);
  };
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
    const stopListening = listen(this.#emitter, event, () => listener());
    const stop = (): void => {
      stopListening();
      this.#stops.delete(stop);
    };
    this.#stops.add(stop);
    return stop;
  }

  stopAll(): void {
    for (const stop of this.#stops) stop();
  }
}
