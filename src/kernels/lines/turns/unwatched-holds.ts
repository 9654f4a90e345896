import type { Client } from '../../../core/client.ts';
import { TimerTask } from '../../../core/time/timer-queue.ts';
import type { LineTurn } from './line-turn.ts';

/** Most holds are given back within this time, and the watch on their ticket would be a request for nothing. */
const UNWATCHED_MS = 1000;

/**
 * The holds whose tickets no watch stands on yet, in the order in which they are due.
 *
 * The tempting alternative leaves the watch to the first renewal, a third of a lease after the grant. Until then a holder whose
 * ticket an operator deletes goes on beside the next one: 10 s with the usual lease, where a watch is heard at once.
 */
export class UnwatchedHolds extends TimerTask {
  readonly #client: Client;
  readonly #dueAt = new Map<LineTurn, number>();

  constructor(client: Client) {
    super();
    this.#client = client;
  }

  override get keepsAlive(): boolean {
    return false;
  }

  add(turn: LineTurn): void {
    const at = this.#client.clock.now() + UNWATCHED_MS;
    this.#dueAt.set(turn, at);
    if (this.slot === -1) this.#client.timers.set(this, at);
  }

  delete(turn: LineTurn): void {
    this.#dueAt.delete(turn);
  }

  override due(now: number): void {
    for (const [turn, at] of this.#dueAt) {
      if (at > now) {
        this.#client.timers.set(this, at);
        return;
      }
      this.#dueAt.delete(turn);
      // A watch that fails is placed by the next renewal.
      this.#client.background(turn.watchOwn());
    }
  }
}
