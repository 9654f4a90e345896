import type { ErrorSubject } from '../../spi/errors.ts';
import type { MaybeAsync } from '../../spi/maybe-async.ts';
import type { Renewable, Renewal, Unwatch } from '../../spi/engine/protocol.ts';
import type { ProtocolTraits } from '../../spi/engine/protocol-traits.ts';
import type { OwnerId } from '../../spi/rule.ts';
import type { AcquireAsk, Busy, Granted, Released } from '../../spi/verbs/holding.ts';
import type { Client } from '../client.ts';

/** What every attempt asks; the resource adds what is its own. */
export interface Asking extends AcquireAsk {
  readonly fences: number;
}

/** An answer that is neither yes nor not yet. */
export interface Refusal {
  readonly kind: 'refused';
  readonly error: Error;
}

/** One named thing that can be held, as the core sees it: which asks to send, and to whom. */
export interface Resource<G extends Granted = Granted> {
  readonly client: Client;
  readonly subject: ErrorSubject;
  readonly kind: string;
  readonly name: string;
  acquire(ask: Asking): MaybeAsync<G | Busy | Refusal>;
  release(owner: OwnerId): MaybeAsync<Released>;
  watch(owner: OwnerId, heard: () => void, handOff?: (fence: number) => void): MaybeAsync<Unwatch>;
  /** Those of its protocol, and what this thing differs in. */
  readonly traits: ProtocolTraits;
  /** Holds that share a renewer are renewed in one call. */
  readonly renewer: Renewable<never>;
  renewal(owner: OwnerId, leaseMs: number): Renewal<object>;
}
