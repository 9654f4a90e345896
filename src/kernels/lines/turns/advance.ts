import type { Client } from '../../../core/client.ts';
import { isUnknown } from './is-unknown.ts';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2000;

/** A turn that waits for tickets ahead. */
export interface WaitingTurn {
  /** Whether its ticket stands and is still wanted. */
  isWaiting(): boolean;
  /** Lists the line and watches what is ahead now. */
  advance(): Promise<void>;
  /** An error that no further listing mends. */
  fail(error: unknown): void;
}

/**
 * Advances a turn after a ticket ahead has gone, one listing at a time. Repeats until the owner is in, or everything ahead is
 * watched: nothing else would wake this waiter.
 */
export class Advance {
  readonly #client: Client;
  readonly #turn: WaitingTurn;
  #isRunning = false;
  /** Another ticket went while the line was being listed, or the listing broke off. */
  #isStale = false;

  constructor(client: Client, turn: WaitingTurn) {
    this.#client = client;
    this.#turn = turn;
  }

  begin(): void {
    if (!this.#turn.isWaiting()) return;
    this.#isStale = true;
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#client.background(
      this.#run().finally(() => {
        this.#isRunning = false;
      }),
    );
  }

  async #run(): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; this.#isStale && this.#turn.isWaiting();) {
      this.#isStale = false;
      try {
        await this.#turn.advance();
      } catch (error) {
        if (!this.#turn.isWaiting() || this.#client.closed) return;
        if (!isUnknown(error)) return this.#turn.fail(error);
        this.#isStale = true;
        await this.#client.sleep(pauseMs);
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      }
    }
  }
}
