import type { AcquireTerms } from '../../core/acquire/acquire-terms.ts';
import { checkFence, checkLeaseMs, checkOptions, checkOwner, readTerms } from '../../core/arguments.ts';
import type { Client } from '../../core/client.ts';
import { contactWith } from '../../core/acquire/admission.ts';
import { Followed } from '../../core/acquire/followed.ts';
import type { Gate } from '../../core/queues/gate.ts';
import type { Grant } from '../../core/acquire/grant.ts';
import type { ExplicitOwner } from '../../core/reentry/owner.ts';
import type { Resource } from '../../core/acquire/resource.ts';
import { openScope, type Place, runInScope, Scope } from '../../core/reentry/scope.ts';
import { startedAt, tellAcquired } from '../../core/acquire/tell-acquired.ts';
import type { HoldStack } from '../../core/reentry/hold-stack.ts';
import { settledBehind, throwIfOver } from '../../core/acquire/wait.ts';
import { type ErrorSubject, NotHeldError } from '../../spi/errors.ts';
import { asPromise, type MaybeAsync, isPending, type Pending, mapAnswer } from '../../spi/maybe-async.ts';
import type { AcquireOptions, Holder, Lock, Owner } from '../../spi/synchronizers.ts';
import type { Granted, HolderView } from '../../spi/verbs/holding.ts';
import type { Forced } from '../../spi/verbs/lock.ts';
import { HoldAcquirable } from '../acquirable.ts';
import { GrantHold } from '../hold.ts';
import { AS_NEW_OWNER, reenter, reenterFrom, refuseToWaitForOwnRun } from './reenter.ts';

const OPTIONS = ['timeoutMs', 'leaseMs', 'signal', 'owner'];

/** What differs between the locks: where they stand, how they let owners in, what a query sees. */
export interface LockParts {
  readonly kind: Lock['kind'];
  readonly place: Place;
  /** The places that keep another owner out of this one while they are held. */
  readonly rivals: readonly Place[];
  readonly resource: Resource;
  /** Asked for with each entry, because a gate lives only as long as somebody uses it. */
  gate(): Gate;
  /** The holder, and how many wait. */
  look(): MaybeAsync<{ readonly holder: HolderView | undefined; readonly waiters: number }>;
  force(fence: number | undefined): MaybeAsync<Forced>;
  /** Looks at what the owner already has elsewhere: throws, or answers the hold stack under which this is taken. */
  relation?(owner: ExplicitOwner | undefined): HoldStack | undefined;
}

/** Somebody else is told how it went. */
function ignored(): void {}

/** Under what an explicit owner keeps its hold stack of a place. */
export function keyOf(place: Place): string {
  return `${place.family}:${place.side}:${place.name}`;
}

/** A re-entrant lock of any kind. */
export class LockObject extends HoldAcquirable<AcquireOptions, Granted, GrantHold> implements Lock {
  readonly kind: Lock['kind'];
  readonly name: string;
  readonly engine: string;
  protected readonly subject: ErrorSubject;
  readonly #parts: LockParts;
  /** The engine object it belongs to. */
  readonly client: Client;
  readonly #key: string;

  constructor(parts: LockParts) {
    super();
    const { client, name, subject } = parts.resource;
    this.#parts = parts;
    this.client = client;
    this.#key = keyOf(parts.place);
    this.kind = parts.kind;
    this.name = name;
    this.engine = client.label;
    this.subject = subject;
  }

  holdCount(owner?: Owner): number {
    const holdStack =
      owner === undefined
        ? openScope(this.#parts.place)?.holdStack
        : this.#explicit(owner).holdStacks.get(this.#key);
    return holdStack?.depth ?? 0;
  }

  async release(owner: Owner): Promise<void> {
    await this.#latestHold(owner, 'release').release();
  }

  async extend(owner: Owner, ms: number): Promise<void> {
    checkLeaseMs(ms, 'extend', this.subject);
    await this.#latestHold(owner, 'extend').extend(ms);
  }

  async isLocked(): Promise<boolean> {
    return (await this.#look()).holder !== undefined;
  }

  async holder(): Promise<Holder | null> {
    const { holder } = await this.#look();
    return holder === undefined ? null : { ...holder, fence: BigInt(holder.fence) };
  }

  async remainingMs(): Promise<number> {
    return (await this.#look()).holder?.remainingMs ?? 0;
  }

  async waiters(): Promise<number> {
    return (await this.#look()).waiters;
  }

  async forceRelease(options?: { readonly fence?: bigint }): Promise<boolean> {
    checkOptions(options, ['fence'], this.subject);
    this.client.throwIfClosed(this.subject);
    const forced = await this.#parts.force(this.#storedFence(checkFence(options?.fence, this.subject)));
    if (forced.kind === 'forced') this.client.keeper.forced(forced.holder.owner);
    return forced.kind === 'forced';
  }

  /** Of a grant that is handed from hold to hold, the store may know only the last fence. */
  #storedFence(fence: number | undefined): number | undefined {
    if (fence === undefined) return undefined;
    const { kind, name } = this.#parts.resource;
    const own = this.client.keeper.grantOf(kind, name, fence);
    return own === undefined ? fence : own.answer.fence + own.answer.fences - 1;
  }

  protected override enter(
    options: AcquireOptions | undefined,
    single: boolean,
    forRun: boolean,
  ): MaybeAsync<GrantHold | null> {
    this.client.throwIfClosed(this.subject);
    if (options !== undefined) checkOptions(options, OPTIONS, this.subject);
    const terms = readTerms(options, single, this.client, this.subject);
    terms.signal?.throwIfAborted();
    if (options?.owner !== undefined) return this.#enterAs(this.#explicit(options.owner), terms, forRun);
    const scope = openScope(this.#parts.place);
    if (scope === undefined) return this.#enterAnew(terms, undefined, forRun);
    return this.#enterInside(scope, terms, forRun);
  }

  override section<T>(hold: GrantHold, fn: (hold: GrantHold) => T | PromiseLike<T>): Promise<T> {
    // A hold that re-entered has its scope from the start: its siblings must see it before the section begins.
    if (hold.scope?.level !== hold) hold.scope = new Scope(this.#parts.place, hold.holdStack, hold);
    return runInScope(hold.scope, () => fn(hold));
  }

  #look() {
    this.client.throwIfClosed(this.subject);
    return this.#parts.look();
  }

  #explicit(owner: Owner): ExplicitOwner {
    return checkOwner(owner, this.client, this.subject);
  }

  #latestHold(owner: Owner, verb: string): GrantHold {
    const latest = this.#explicit(owner).holdStacks.get(this.#key)?.innermost;
    if (latest instanceof GrantHold) return latest;
    throw new NotHeldError(
      `${this.subject.resource} is not held by the owner ${JSON.stringify(owner.label)} that wants to ${verb} it.`,
      this.subject,
    );
  }

  /** A new owner, with a place of its own in line. */
  #enterAnew(
    terms: AcquireTerms,
    owner: ExplicitOwner | undefined,
    forRun: boolean,
  ): MaybeAsync<GrantHold | null> {
    const above = this.#parts.relation?.(owner);
    if (above !== undefined) return this.#enterUnder(above, terms, owner, forRun);
    if (owner !== undefined && !terms.once)
      refuseToWaitForOwnRun(this.#parts.rivals, owner.label, this.subject);
    return this.#enterGate(terms, owner);
  }

  #enterGate(terms: AcquireTerms, owner: ExplicitOwner | undefined): MaybeAsync<GrantHold | null> {
    const since = startedAt(this.client);
    const gate = this.#parts.gate();
    const entered = gate.enter(terms);
    // Apart from the other case, or the function that waits for an answer would be made where there is nothing to wait for.
    if (!isPending(entered)) return this.#hold(gate, entered, owner, since);
    return this.#holdWhenIn(gate, entered, owner, since);
  }

  #holdWhenIn(
    gate: Gate,
    entering: Pending<Grant | null>,
    owner: ExplicitOwner | undefined,
    since: number | undefined,
  ): MaybeAsync<GrantHold | null> {
    return mapAnswer(entering, (grant) => this.#hold(gate, grant, owner, since));
  }

  /**
   * The read side under a write names the write, so that the store lets it in, and has an id of its own: a late copy of an
   * earlier read's release would otherwise free a later one (soundness 1). The store has one hold for all that are taken
   * here; the second re-enters the first.
   */
  async #enterUnder(
    above: HoldStack,
    terms: AcquireTerms,
    owner: ExplicitOwner | undefined,
    forRun: boolean,
  ): Promise<GrantHold | null> {
    let before: Followed | undefined;
    while (above.readUnderWritePending !== undefined) {
      if (terms.once) return null;
      before = above.readUnderWritePending;
      const contact = await settledBehind(this.client, this.subject, terms, before);
      throwIfOver(this.client, this.subject, terms, contact);
    }
    const companion = above.readUnderWrite;
    if (companion !== undefined && companion.grant.open)
      return reenter(this.#parts, companion, terms, { scope: undefined, forRun });
    const followed = new Followed();
    const own = { ...this.#termsAfter(before, terms), under: above.grant.owner, followed };
    const entering = asPromise(this.#enterGate(own, owner));
    followed.settled = entering.then(ignored, ignored);
    above.readUnderWritePending = followed;
    try {
      const hold = await entering;
      if (hold !== null) above.readUnderWrite = hold.holdStack;
      return hold;
    } finally {
      above.readUnderWritePending = undefined;
    }
  }

  /** An acquisition that has waited for another of its owner starts with what the store owes to that one. */
  #termsAfter(before: Followed | undefined, terms: AcquireTerms): AcquireTerms {
    if (before === undefined) return terms;
    const owedSince = before.owedSince() ?? this.client.clock.now();
    return { ...terms, contact: contactWith(this.#parts.resource, true, owedSince) };
  }

  #hold(
    gate: Gate,
    grant: Grant | null,
    owner: ExplicitOwner | undefined,
    since: number | undefined,
  ): GrantHold | null {
    if (grant === null) return null;
    const hold = new GrantHold(grant, gate, grant.takeFence());
    if (owner !== undefined) {
      owner.holdStacks.set(this.#key, hold.holdStack);
      hold.holdStack.whenOver = () => owner.holdStacks.delete(this.#key);
    }
    tellAcquired(grant, since);
    return hold;
  }

  /** As an explicit owner: re-entrant if it has the lock, and never twice on the way to it. */
  async #enterAs(owner: ExplicitOwner, terms: AcquireTerms, forRun: boolean): Promise<GrantHold | null> {
    let before: Followed | undefined;
    for (
      let pending = owner.pending.get(this.#key);
      pending !== undefined;
      pending = owner.pending.get(this.#key)
    ) {
      if (terms.once) return null;
      before = pending;
      const contact = await settledBehind(this.client, this.subject, terms, pending);
      throwIfOver(this.client, this.subject, terms, contact);
    }
    const holdStack = owner.holdStacks.get(this.#key);
    if (holdStack !== undefined) return reenter(this.#parts, holdStack, terms, { scope: undefined, forRun });
    const followed = new Followed();
    const own = { ...this.#termsAfter(before, terms), followed };
    const entering = asPromise(this.#enterAnew(own, owner, forRun));
    followed.settled = entering.then(ignored, ignored);
    owner.pending.set(this.#key, followed);
    try {
      return await entering;
    } finally {
      owner.pending.delete(this.#key);
    }
  }

  /** From inside a `run`. */
  #enterInside(scope: Scope, terms: AcquireTerms, forRun: boolean): MaybeAsync<GrantHold | null> {
    const entered = reenterFrom(this.#parts, scope, terms, forRun);
    return mapAnswer(entered, (hold) =>
      hold === AS_NEW_OWNER ? this.#enterAnew(terms, undefined, forRun) : hold,
    );
  }
}
