import type { Keys } from '../../src/engines/redis/keys.ts';
import type { RedisContext } from '../../src/engines/redis/redis-context.ts';
import type { MaybeAsync } from '../../src/spi/maybe-async.ts';
import type { Renewal, RenewalOutcome } from '../../src/spi/engine/protocol.ts';
import type { ProtocolTraits } from '../../src/spi/engine/protocol-traits.ts';
import type { Facts, OwnerId } from '../../src/spi/rule.ts';
import type { AcquireAsk, Busy, Granted, Released, RenewAsk, Renewed } from '../../src/spi/verbs/holding.ts';
import type { ForceAsk, Forced, RaiseAsk, Raised } from '../../src/spi/verbs/lock.ts';
import type { Side } from '../../src/spi/verbs/read-write-lock.ts';
import type { Sent } from './heard-messages.ts';
import type { JavaAction, Wish } from './holding-programs.ts';
import type { ProgramWorld } from './program-world.ts';
import type { Stored } from './stored.ts';

/** What a step of a rule comes to in Redis: also what is published. */
export interface Stepped<S, A> {
  readonly state: S;
  readonly answer: A;
  readonly sent?: readonly Sent[];
}

/** What every state has: the last fence that was reserved. */
export interface Fenced {
  readonly fence: number;
}

/** The protocol of a thing that can be held, as far as a program uses it. */
export interface HoldingFace<Ask extends AcquireAsk> {
  readonly traits: Pick<ProtocolTraits, 'newOwner'>;
  acquire(name: string, ask: Ask): MaybeAsync<Granted | Busy | { readonly kind: string }>;
  release(name: string, ask: Ask): MaybeAsync<Released>;
  renewMany(renewals: readonly Renewal<RenewAsk & Ask>[]): MaybeAsync<readonly RenewalOutcome[]>;
  force?(name: string, ask: ForceAsk & { readonly side: Side }): MaybeAsync<Forced>;
  raise?(name: string, ask: RaiseAsk): MaybeAsync<Raised>;
  look(name: string): MaybeAsync<object>;
}

/** Where a program is. */
export interface Place {
  readonly name: string;
  readonly keys: Keys;
}

/** The rule of a kind as Redis obeys it. */
export interface HoldingVerbs<S, Ask extends AcquireAsk> {
  acquire(state: S, ask: Ask, facts: Facts): Stepped<S, Granted | Busy | { readonly kind: string }>;
  release(state: S, ask: Ask, facts: Facts): Stepped<S, Released>;
  renew(state: S, ask: Ask & RenewAsk, facts: Facts): Stepped<S, Renewed>;
  force?(state: S, ask: ForceAsk & { readonly side: Side }, facts: Facts): Stepped<S, Forced>;
  raise?(state: S, ask: RaiseAsk, facts: Facts): Stepped<S, Raised>;
}

/** One kind of thing that can be held: its protocol, its rule, and how the two are compared. */
export interface HoldingKind<S extends Fenced, Ask extends AcquireAsk> {
  readonly free: S;
  readonly protocol: (parts: RedisContext) => HoldingFace<Ask>;
  readonly rule: (place: Place) => HoldingVerbs<S, Ask>;
  readonly ask: (owner: OwnerId, wish: Wish) => Ask;
  /** The ask of a client that has this already. */
  readonly under?: (held: Ask, wish: Wish, owner: string) => Ask | undefined;
  /** Tells acquisitions apart. */
  readonly id: (ask: Ask) => string;
  /** The keys that are made for an id by scripts, which are not called with them. */
  readonly keysOf?: (id: OwnerId, place: Place) => readonly string[];
  /** How long the hold of ours lasts that the last fence belongs to. */
  readonly fencedMs?: (state: S, now: number) => number;
  /** Whether those of one client who wait stand in a line of their own, of which only the first asks. */
  readonly linesUp: (ask: Ask) => boolean;
  /** Whether an owner has something of which the store knows no owner. */
  readonly ownerless?: true;
  /** Whether the store itself knows how many wait; else it is those who listen, and here no client does but the test. */
  readonly knowsWaiters?: true;
  /** What a look must show, without those who wait in this process. */
  readonly look: (state: S, facts: Facts) => object;
  /** The same of what the protocol answers. */
  readonly seen: (look: object) => object;
  /** What Redis must keep, in the form of `stored`. */
  readonly expected: (state: S, now: number) => object;
  readonly stored: (stored: Stored, place: Place) => object;
  /** Does what Java would do with plain commands; nothing if Java could not do it now. */
  readonly java: (
    world: ProgramWorld,
    state: S,
    action: JavaAction,
    facts: Facts,
  ) => Promise<Omit<Stepped<S, unknown>, 'answer'>>;
}
