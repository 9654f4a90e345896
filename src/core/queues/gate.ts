import type { MaybeAsync } from '../../spi/maybe-async.ts';
import type { Granted, Released } from '../../spi/verbs/holding.ts';
import { acquireGrant } from '../acquire/acquire-grant.ts';
import type { Grant } from '../grants/grant.ts';
import type { Holdable } from '../acquire/holdable.ts';
import type { AcquireTerms } from '../acquire/acquire-terms.ts';

/** How the owners of this process reach a `Holdable` and leave it. */
export interface Gate<G extends Granted = Granted> {
  /** Null if a single attempt was wanted and another owner holds it. */
  enter(terms: AcquireTerms): MaybeAsync<Grant<G> | null>;
  /** Undefined if the grant was handed to the next local owner instead of given back. */
  leave(grant: Grant<G>): MaybeAsync<Released | undefined>;
}

/** Every owner goes to the store by itself: read sides, semaphores, and fair locks where the way there is short. */
export class OpenGate<G extends Granted> implements Gate<G> {
  readonly #holdable: Holdable<G>;

  constructor(holdable: Holdable<G>) {
    this.#holdable = holdable;
  }

  enter(terms: AcquireTerms): MaybeAsync<Grant<G> | null> {
    return acquireGrant(this.#holdable, terms, 1);
  }

  leave(grant: Grant<G>): MaybeAsync<Released> {
    return grant.release();
  }
}
