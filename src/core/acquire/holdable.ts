import type { ErrorSubject } from '../../spi/errors.ts';
import type { MaybeAsync } from '../../spi/maybe-async.ts';
import type { Renewable, Renewal, Unwatch, Watchable } from '../../spi/engine/protocol.ts';
import type { ProtocolTraits } from '../../spi/engine/protocol-traits.ts';
import type { OwnerId } from '../../spi/rule.ts';
import type {
  AcquireAsk,
  Busy,
  Granted,
  HolderView,
  MinHold,
  Released,
  ReleaseAsk,
  RenewAsk,
} from '../../spi/verbs/holding.ts';
import type { UpgradeRefused } from '../../spi/verbs/read-write-lock.ts';
import type { TotalMismatch } from '../../spi/verbs/semaphore.ts';
import { subjectOf } from '../arguments.ts';
import type { Client } from '../client.ts';
import type { AcquireTerms } from './acquire-terms.ts';
import { Contact } from './contact.ts';

/** An answer that is neither a grant nor "busy". */
export type Refused = TotalMismatch | UpgradeRefused;

/** What an attempt asks; the protocol of each synchronizer finds in it what is its own. */
export interface Asking extends AcquireAsk {
  readonly fences?: number;
  readonly minHoldMs?: number;
}

/** The verbs that the core uses, of whatever can be held. */
export interface HoldableProtocol<G extends Granted = Granted> extends Watchable, Renewable<RenewAsk> {
  acquire(name: string, ask: Asking): MaybeAsync<G | Busy | Refused>;
  release(name: string, ask: ReleaseAsk): MaybeAsync<Released>;
  readonly traits: ProtocolTraits;
}

/** What one synchronizer asks besides what all ask; a plain lock needs none of it. */
export interface HoldableVariant {
  /** What errors call the thing, if not by its kind. */
  readonly shownKind?: string;
  /** The traits of the protocol, where the synchronizer differs from them. */
  readonly traits?: ProtocolTraits;
  /** Goes out with each attempt: the value of a candidate, a number of permits. */
  readonly attempt?: object;
  /** Goes out with each request: the side of a read-write lock. */
  readonly request?: object;
  /** The error of the caller for an answer that is neither a grant nor "busy". */
  refusal?(answer: Refused): Error;
  /** Those that keep another owner out, as the store shows them: of the write side also the readers. */
  blockers?(): MaybeAsync<readonly HolderView[]>;
}

/**
 * One named thing that can be held, and the only way by which the core and the synchronizers reach its protocol.
 *
 * A class of few fields and not an object of functions: there is one for each lock that is held, and functions made anew for
 * each would take more room than all that is known of the hold.
 */
export class Holdable<G extends Granted = Granted> {
  readonly client: Client;
  readonly kind: string;
  readonly name: string;
  readonly protocol: HoldableProtocol<G>;
  readonly #variant: HoldableVariant | undefined;

  constructor(
    client: Client,
    kind: string,
    name: string,
    protocol: HoldableProtocol<G>,
    variant?: HoldableVariant,
  ) {
    this.client = client;
    this.kind = kind;
    this.name = name;
    this.protocol = protocol;
    this.#variant = variant;
  }

  get subject(): ErrorSubject {
    return subjectOf(this.#variant?.shownKind ?? this.kind, this.name, this.client.label);
  }

  get traits(): ProtocolTraits {
    return this.#variant?.traits ?? this.protocol.traits;
  }

  /** A fresh id for each acquisition that reaches the store (soundness 1). */
  newOwner(): OwnerId {
    const { newOwner } = this.traits;
    return newOwner === undefined ? this.client.ids.next() : newOwner();
  }

  /** What an attempt asks. Only a lock is handed over inside the process, and reserves fences for that. */
  ask(owner: OwnerId, { leaseMs, once, under, minHoldMs }: AcquireTerms, fences: number): Asking {
    const interestMs = this.client.renewalLeaseMs;
    const variant = this.#variant;
    if (variant?.attempt === undefined && variant?.request === undefined) {
      const plain = { owner, leaseMs, fences, wait: !once, interestMs };
      return minHoldMs === undefined ? plain : { ...plain, minHoldMs };
    }
    const ask = { owner, leaseMs, wait: !once, interestMs, ...variant.request, ...variant.attempt };
    return under === undefined ? ask : { ...ask, under };
  }

  /** `minHold`: only the end of the hold is set, and its place in the store is left to end by itself. */
  release(owner: OwnerId, minHold?: MinHold): MaybeAsync<Released> {
    if (minHold !== undefined) return this.protocol.release(this.name, { owner, minHold });
    const request = this.#variant?.request;
    return this.protocol.release(this.name, request === undefined ? { owner } : { owner, ...request });
  }

  /** `minHoldMs`: the hold is to last for so long, whatever becomes of its owner. Only a lock is asked for that. */
  renewal(owner: OwnerId, leaseMs: number, minHoldMs?: number): Renewal<RenewAsk> {
    if (minHoldMs !== undefined) return { name: this.name, ask: { owner, leaseMs, minHoldMs } };
    return { name: this.name, ask: { owner, leaseMs, ...this.#variant?.request } };
  }

  watch(owner: OwnerId, heard: () => void, handOff: (fence: number) => void): MaybeAsync<Unwatch> {
    return this.protocol.watch(this.name, owner, heard, handOff);
  }

  /** The error of the caller for an answer that is neither a grant nor "busy". */
  refusal(answer: Refused): Error {
    return this.#variant?.refusal?.(answer) ?? new Error(`${this.subject.resource}: ${answer.kind}`);
  }

  /** Those that keep another owner out. None where a wait behind an owner of the same process needs no warning. */
  blockers(): MaybeAsync<readonly HolderView[]> {
    return this.#variant?.blockers?.() ?? [];
  }

  /** What an acquisition of this knows of the store. */
  contact(isAnswered: boolean, owedSince?: number): Contact {
    return new Contact(isAnswered, this.traits.attemptsWait, owedSince);
  }
}
