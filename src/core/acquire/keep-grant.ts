import { SessionEndedError } from '../../spi/errors.ts';
import type { Granted } from '../../spi/verbs/holding.ts';
import { closedError } from '../client.ts';
import type { Grant } from './grant.ts';

/**
 * From here on the keeper looks after it. Not earlier: the answer to an attempt that was given up arrives as well, and
 * a hold that nobody has would be renewed for ever.
 */
export function kept<G extends Granted>(grant: Grant<G>): Grant<G> {
  grant.resource.client.keeper.keep(grant);
  return grant;
}

/**
 * The same for an answer that was on its way, unless the world has changed meanwhile: a hold of an identity that has
 * ended since was not there to be lost with the others, and one of a closed client would not be given back.
 */
export function keptUnlessOver<G extends Granted>(grant: Grant<G>, generation: number): Grant<G> {
  const { client } = grant.resource;
  if (client.closed || client.ids.generation !== generation) {
    grant.giveBack();
    const { subject } = grant.resource;
    throw client.closed ? closedError(subject) : new SessionEndedError(subject);
  }
  return kept(grant);
}
