import type { Eventually } from '../spi/eventually.ts';
import type { Granted, Released } from '../spi/verbs/holding.ts';
import { admit } from './admission.ts';
import type { Grant } from './grant.ts';
import type { Resource } from './resource.ts';
import type { Terms } from './terms.ts';

/** How the owners of this process come to a resource and leave it. */
export interface Gate<G extends Granted = Granted> {
  /** Null if a single attempt was wanted and somebody else is in. */
  enter(terms: Terms): Eventually<Grant<G> | null>;
  /** Undefined if the grant was handed to the next local owner instead of given back. */
  leave(grant: Grant<G>): Eventually<Released | undefined>;
}

/** Every owner stands in the store by itself: read sides, semaphores, and fair locks where the way there is short. */
export class OpenGate<G extends Granted> implements Gate<G> {
  readonly #resource: Resource<G>;

  constructor(resource: Resource<G>) {
    this.#resource = resource;
  }

  enter(terms: Terms): Eventually<Grant<G> | null> {
    return admit(this.#resource, terms, 1);
  }

  leave(grant: Grant<G>): Eventually<Released> {
    return grant.release();
  }
}
