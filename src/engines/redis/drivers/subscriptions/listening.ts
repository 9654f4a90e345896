import { errorMonitor } from 'node:events';

/** What has events: every client is one of these. */
export interface Emitter {
  on(event: string | symbol, listener: (...args: never[]) => void): unknown;
  once(event: string, listener: (...args: never[]) => void): unknown;
  off(event: string | symbol, listener: (...args: never[]) => void): unknown;
}

/** Called with what the event brings. */
type Hear = (brought?: unknown) => void;

/** One listener of ours on a client, and all those behind it. */
interface Ear {
  readonly calls: Set<Hear>;
  readonly hear: Hear;
}

/** Many engine objects may share one client, which would warn of a leak at the eleventh listener: they share one too. */
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

/** The listeners that we have put on a client, most often on one of the user's: all of them can be taken off at once. */
export class Listening {
  readonly #emitter: Emitter;
  readonly #stops = new Set<() => void>();

  constructor(emitter: Emitter) {
    this.#emitter = emitter;
  }

  on(event: string | symbol, listener: Hear): () => void {
    // A function of its own, so that the same listener can be given twice and taken off once.
    const stopListening = listen(this.#emitter, event, (brought) => listener(brought));
    const stop = (): void => {
      stopListening();
      this.#stops.delete(stop);
    };
    this.#stops.add(stop);
    return stop;
  }

  /**
   * Hears the errors of the client beside those who listen to them. A listener for the event itself would take the place of
   * the user's: the error of a client that has none ends the process, or is printed, and so it shall stay.
   */
  onError(listener: (error: unknown) => void): () => void {
    return this.on(errorMonitor, listener);
  }

  stopAll(): void {
    for (const stop of this.#stops) stop();
  }
}
