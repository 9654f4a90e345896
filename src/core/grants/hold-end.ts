import type { HoldfastEvent } from '../../spi/synchronizers.ts';
import type { Client } from '../client.ts';
import type { Grant } from './grant.ts';
import { grantEvent } from './grant-event.ts';
import { type HoldNotes, takeTrace } from './trace-hold.ts';

/**
 * The end of one hold, for listeners and subscribers. Made before the grant goes on: by the time the store has answered, the
 * grant may have its next holder in this process, with another fence and another trace.
 */
export class HoldEnd {
  readonly #client: Client;
  readonly #event: HoldfastEvent;
  readonly #since: number;
  readonly #trace: HoldNotes | undefined;

  private constructor(grant: Grant) {
    this.#client = grant.holdable.client;
    this.#event = grantEvent(grant);
    this.#since = grant.heldAt;
    this.#trace = takeTrace(grant);
  }

  /** Undefined if nothing listens. */
  static of(grant: Grant): HoldEnd | undefined {
    const { events } = grant.holdable.client;
    return grant.trace !== undefined || events.release.wanted ? new HoldEnd(grant) : undefined;
  }

  /** The owner has released it, to the store or to the next owner here. */
  tellReleased(): void {
    const { clock, events } = this.#client;
    if (events.release.wanted) events.release.emit({ ...this.#event, elapsedMs: clock.now() - this.#since });
    this.#trace?.end();
  }

  /** The store no longer had it, or has not answered: the hold has ended all the same. */
  tellFailed(error: unknown): void {
    this.#trace?.fail(error);
  }
}
