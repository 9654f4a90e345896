import type { MaybeAsync } from '../../spi/maybe-async.ts';
import type { Granted, Released } from '../../spi/verbs/holding.ts';
import { admit } from '../acquire/admission.ts';
import type { Grant } from '../acquire/grant.ts';
import type { Resource } from '../acquire/resource.ts';
import type { AcquireTerms } from '../acquire/acquire-terms.ts';

/** How the owners of this process come to a resource and leave it. */
export interface Gate<G extends Granted = Granted> {
  /** Null if a single attempt was wanted and somebody else is in. */
  enter(terms: AcquireTerms): MaybeAsync<Grant<G> | null>;
  /** Undefined if the grant was handed to the next local owner instead of given back. */
  leave(grant: Grant<G>): MaybeAsync<Released | undefined>;
}

/** Every owner stands in the store by itself: read sides, semaphores, and fair locks where the way there is short. */
export class OpenGate<G extends Granted> implements Gate<G> {
  readonly #resource: Resource<G>;

  constructor(resource: Resource<G>) {
    this.#resource = resource;
  }

  enter(terms: AcquireTerms): MaybeAsync<Grant<G> | null> {
    return admit(this.#resource, terms, 1);
  }

  leave(grant: Grant<G>): MaybeAsync<Released> {
    return grant.release();
  }
}
