import { subjectOf } from '../../core/arguments.ts';
import type { Client } from '../../core/client.ts';
import type { Asking, Resource } from '../../core/acquire/resource.ts';
import type { ErrorSubject } from '../../spi/errors.ts';
import type { MaybeAsync } from '../../spi/maybe-async.ts';
import type { HoldingProtocol, Renewal, Unwatch } from '../../spi/engine/protocol.ts';
import type { ProtocolTraits } from '../../spi/engine/protocol-traits.ts';
import type { OwnerId } from '../../spi/rule.ts';
import type { Busy, Granted, Released } from '../../spi/verbs/holding.ts';
import type { LockLook, LockVerbs } from '../../spi/verbs/lock.ts';

export type LockProtocol = HoldingProtocol<LockVerbs, LockLook>;

/**
 * One named lock, as the core sees it. There is one for each lock that is held: a class and not an object of functions,
 * which would be made anew for each, and take more room than all that is known of the hold.
 */
export class LockResource implements Resource {
  readonly client: Client;
  readonly kind: string;
  readonly name: string;
  readonly renewer: LockProtocol;
  readonly #shownKind: string;

  /** `shownKind` is what errors call it, if not by its kind. */
  constructor(client: Client, kind: string, name: string, protocol: LockProtocol, shownKind = kind) {
    this.client = client;
    this.kind = kind;
    this.name = name;
    this.renewer = protocol;
    this.#shownKind = shownKind;
  }

  get subject(): ErrorSubject {
    return subjectOf(this.#shownKind, this.name, this.client.label);
  }

  get traits(): ProtocolTraits {
    return this.renewer.traits;
  }

  acquire(ask: Asking): MaybeAsync<Granted | Busy> {
    return this.renewer.acquire(this.name, ask);
  }

  release(owner: OwnerId): MaybeAsync<Released> {
    return this.renewer.release(this.name, { owner });
  }

  watch(owner: OwnerId, heard: () => void, handOff?: (fence: number) => void): MaybeAsync<Unwatch> {
    return this.renewer.watch(this.name, owner, heard, handOff);
  }

  renewal(owner: OwnerId, leaseMs: number): Renewal<object> {
    return { name: this.name, ask: { owner, leaseMs } };
  }
}
