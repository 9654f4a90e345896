import { SweepPace } from './sweep-pace.ts';

/** A local queue in front of one thing that can be held. */
export interface LocalGate {
  /** It has no owner and no waiter, and can be given up. */
  readonly idle: boolean;
  /** False once the gate has been given up: a lock object that kept it must ask for the current one. */
  current: boolean;
  /** Rejects its waiters. */
  close(): void;
}

/** Under which the gate of a `Holdable` is known to its client. */
export function gateKey({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind}:${name}`;
}

/**
 * The local queues of a client, by kind and name. An idle one is kept for a while, because making and dropping it with
 * every acquisition costs more than the acquisition; idle ones are swept when their number has doubled.
 *
 * Those that are wanted again after that count as if they had been in use. A lock object keeps its gate, swept or not, so
 * to sweep it saved no room; and with many locks taken in turn each would be made anew every time.
 */
export class Gates<G extends LocalGate = LocalGate> {
  readonly #gates = new Map<string, G>();
  readonly #sweepPace = new SweepPace();
  /** How many were wanted again since the last sweep. */
  #again = 0;

  get(key: string): G | undefined {
    return this.#gates.get(key);
  }

  add(key: string, gate: G): void {
    if (this.#sweepPace.isDue(this.#gates.size)) this.#sweep();
    this.#gates.set(key, gate);
  }

  /** A lock object found that its gate had been swept. */
  countReturn(): void {
    this.#again++;
  }

  close(): void {
    for (const gate of this.#gates.values()) {
      gate.close();
      gate.current = false;
    }
    this.#gates.clear();
  }

  #sweep(): void {
    for (const [key, gate] of this.#gates) {
      if (!gate.idle) continue;
      gate.current = false;
      this.#gates.delete(key);
    }
    this.#sweepPace.restart(this.#gates.size + this.#again);
    this.#again = 0;
  }
}
