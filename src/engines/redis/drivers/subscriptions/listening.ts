import { errorMonitor } from 'node:events';

/** An event emitter: every client is one. */
export interface Emitter {
  on(event: string | symbol, listener: (...args: never[]) => void): unknown;
  once(event: string, listener: (...args: never[]) => void): unknown;
  off(event: string | symbol, listener: (...args: never[]) => void): unknown;
}

/** Called with the argument of the event. */
type Hear = (brought?: unknown) => void;

/** Our one listener on a client, and the calls that it serves. */
interface Ear {
  readonly calls: Set<Hear>;
  readonly hear: Hear;
}

/** Shared by all engine objects on one client: the client would warn of a leak at the eleventh listener. */
const ears = new WeakMap<Emitter, Map<string | symbol, Ear>>();

function listen(emitter: Emitter, event: string | symbol, call: Hear): () => void {
  const ofClient = ears.get(emitter) ?? new Map<string | symbol, Ear>();
  ears.set(emitter, ofClient);
  let ear = ofClient.get(event);
  if (ear === undefined) {
    const calls = new Set<Hear>();
    const hear: Hear = (brought) => {
      for (const one of calls) one(brought);
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

/** The listeners of one driver on a client, most often the user's: `stopAll` removes all of them. */
export class Listening {
  readonly #emitter: Emitter;
  readonly #stops = new Set<() => void>();

  constructor(emitter: Emitter) {
    this.#emitter = emitter;
  }

  on(event: string | symbol, listener: Hear): () => void {
    // A new function, so that the same listener can be added twice and removed once.
    const stopListening = listen(this.#emitter, event, (brought) => listener(brought));
    const stop = (): void => {
      stopListening();
      this.#stops.delete(stop);
    };
    this.#stops.add(stop);
    return stop;
  }

  /**
   * Observes the errors of the client without handling them. A listener for the event itself would replace the user's
   * decision: an error of a client without one ends the process, or is printed, and that must stay so.
   */
  onError(listener: (error: unknown) => void): () => void {
    return this.on(errorMonitor, listener);
  }

  stopAll(): void {
    for (const stop of this.#stops) stop();
  }
}
