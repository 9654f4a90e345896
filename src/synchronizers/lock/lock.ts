import type { AcquireTerms } from '../../core/acquire/acquire-terms.ts';
import type { Contested } from '../../core/failures/explain-timeout.ts';
import type { Grant } from '../../core/grants/grant.ts';
import { startedAt } from '../../core/grants/grant-events.ts';
import { acquireTracing, type TraceNotes } from '../../core/acquire/trace-acquire.ts';
import { tracedTerms } from '../../core/acquire/traced-terms.ts';
import { checkFunction, checkLeaseMs, checkOptions, checkOwner, readTerms } from '../../core/arguments.ts';
import type { Client } from '../../core/client.ts';
import { logAs } from '../../core/log-as.ts';
import type { Gate } from '../../core/queues/gate.ts';
import type { HoldStack } from '../../core/reentry/hold-stack.ts';
import type { ExplicitOwner } from '../../core/reentry/owner.ts';
import { enterScope, openScope, placeKey, runInScope, type Scope } from '../../core/reentry/scope.ts';
import type { ErrorSubject } from '../../spi/errors.ts';
import { asPromise, isPending, mapAnswer, type MaybeAsync, type Pending } from '../../spi/maybe-async.ts';
import type { AcquireOptions, Holder, Lock, Owner } from '../../spi/synchronizers.ts';
import { heldForRun, heldPromise, nullAtTimeout, tracedHold, tracedTry } from '../held-promise.ts';
import type { GrantHold } from '../hold.ts';
import { CLOSE_AND_RELEASE } from './close-and-release.ts';
import { runSection } from '../run-section.ts';
import { enterAs, enterUnder } from './enter-as.ts';
import { forceRelease } from './force-release.ts';
import { holdGrant } from './hold-grant.ts';
import { latestHold } from './latest-hold.ts';
import type { LockParts } from './lock-parts.ts';
import { AS_NEW_OWNER, reenterFrom, refuseToWaitForOwnRun } from './reenter.ts';
import { scopeOf } from './scope-of.ts';

const OPTIONS = ['timeoutMs', 'leaseMs', 'signal', 'owner'];

/** A re-entrant lock of any kind. */
export class LockObject implements Lock, Contested {
  readonly kind: Lock['kind'];
  readonly name: string;
  readonly engine: string;
  readonly subject: ErrorSubject;
  readonly blockers: Contested['blockers'];
  readonly #parts: LockParts;
  /** The engine object it belongs to. */
  readonly client: Client;
  readonly #key: string;

  constructor(parts: LockParts) {
    const { client, name, subject } = parts.holdable;
    this.#parts = parts;
    this.blockers = () => parts.holdable.blockers();
    this.client = client;
    this.#key = placeKey(parts.place);
    this.kind = parts.kind;
    this.name = name;
    this.engine = client.label;
    this.subject = subject;
  }

  get protocol(): object {
    return this.#parts.holdable.protocol;
  }

  /** The way of most acquisitions, so it does not go through `acquireFor`: that is one call more for each of them. */
  acquire(options?: AcquireOptions): Promise<GrantHold> {
    if (acquireTracing.hasSubscribers)
      return tracedHold(this.#parts.holdable, this, options, this.#entering(options, false, false));
    try {
      const entered = this.#enter(this.#terms(options, false), this.#ownerOf(options), false);
      return heldPromise(entered, options, this);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  tryAcquire(options?: AcquireOptions): Promise<GrantHold | null> {
    return this.tryAcquireFor(options, false);
  }

  run<T>(fn: (hold: GrantHold) => T | PromiseLike<T>, options?: AcquireOptions): Promise<T> {
    try {
      checkFunction(fn, this.subject);
      return runSection(
        this.#enterFor(options, true),
        (hold) => enterScope(scopeOf(hold, this.#parts.place), () => hold.callSection(fn)),
        CLOSE_AND_RELEASE,
      );
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** `acquire` for a composed lock. */
  async acquireFor(options: AcquireOptions | undefined, forRun: boolean): Promise<GrantHold> {
    return asPromise(this.#enterFor(options, forRun));
  }

  /** `tryAcquire` for a composed lock. */
  async tryAcquireFor(options: AcquireOptions | undefined, forRun: boolean): Promise<GrantHold | null> {
    try {
      if (acquireTracing.hasSubscribers)
        return await tracedTry(this.#parts.holdable, this.#entering(options, true, forRun));
      return await asPromise(this.#enter(this.#terms(options, true), this.#ownerOf(options), forRun));
    } catch (error) {
      return nullAtTimeout(error);
    }
  }

  holdCount(owner?: Owner): number {
    if (owner === undefined) return openScope(this.#parts.place)?.holdStack.depth ?? 0;
    return this.#explicit(owner).holdStacks.get(this.#key)?.depth ?? 0;
  }

  async release(owner: Owner): Promise<void> {
    await latestHold(this.#explicit(owner), this.#key, 'release', this.subject).release();
  }

  async extend(owner: Owner, ms: number): Promise<void> {
    checkLeaseMs(ms, 'extend', this.subject);
    await latestHold(this.#explicit(owner), this.#key, 'extend', this.subject).extend(ms);
  }

  async isLocked(): Promise<boolean> {
    return (await this.#look()).holder !== undefined;
  }

  async holder(): Promise<Holder | null> {
    const { holder } = await this.#look();
    const seen = holder === undefined ? [] : [holder];
    return (await this.client.names.holdersOf(this.kind, seen))[0] ?? null;
  }

  async remainingMs(): Promise<number> {
    return (await this.#look()).holder?.remainingMs ?? 0;
  }

  async waiters(): Promise<number> {
    return (await this.#look()).waiters;
  }

  forceRelease(options?: { readonly fence?: bigint }): Promise<boolean> {
    return forceRelease(this.#parts, options);
  }

  /** Runs `fn` in the scope of the hold: what it acquires of this lock re-enters. */
  runSection<T>(hold: GrantHold, fn: (hold: GrantHold) => T | PromiseLike<T>): Promise<T> {
    return runInScope(scopeOf(hold, this.#parts.place), () => hold.callSection(fn));
  }

  #look() {
    this.client.throwIfClosed(this.subject);
    return this.#parts.look();
  }

  #explicit(owner: Owner): ExplicitOwner {
    return checkOwner(owner, this.client, this.subject);
  }

  /** Made here: a function in `acquire` would be paid for by every acquisition, traced or not. */
  #entering(options: AcquireOptions | undefined, single: boolean, forRun: boolean) {
    return (trace: TraceNotes) =>
      this.#enter(tracedTerms(this.#terms(options, single), trace), this.#ownerOf(options), forRun);
  }

  /** The options of an acquisition that it knows. */
  protected get options(): readonly string[] {
    return OPTIONS;
  }

  #terms(options: AcquireOptions | undefined, single: boolean): AcquireTerms {
    this.client.throwIfClosed(this.subject);
    if (options !== undefined) checkOptions(options, this.options, this.subject);
    const terms = readTerms(options, single, this.client, this.subject);
    terms.signal?.throwIfAborted();
    return terms;
  }

  #enterFor(options: AcquireOptions | undefined, forRun: boolean): MaybeAsync<GrantHold> {
    if (acquireTracing.hasSubscribers)
      return tracedHold(this.#parts.holdable, this, options, this.#entering(options, false, forRun));
    return heldForRun(
      this.#enter(this.#terms(options, false), this.#ownerOf(options), forRun),
      options,
      this,
    );
  }

  #ownerOf(options: AcquireOptions | undefined): ExplicitOwner | undefined {
    return options?.owner === undefined ? undefined : this.#explicit(options.owner);
  }

  /**
   * Re-enters what the owner has, or goes through the gate as an owner that has nothing (`isNew`). Null if a single attempt
   * was refused. The functions that need one of these parameters later are made in methods of their own: here they would be
   * paid for by every acquisition.
   */
  #enter(
    terms: AcquireTerms,
    owner: ExplicitOwner | undefined,
    forRun: boolean,
    isNew = false,
  ): MaybeAsync<GrantHold | null> {
    if (!isNew) {
      if (owner !== undefined) return this.#enterAs(owner, terms, forRun);
      const scope = openScope(this.#parts.place);
      if (scope !== undefined) return this.#enterInside(scope, terms, forRun);
    }
    if (terms.under === undefined) {
      const above = this.#parts.relation?.(owner);
      if (above !== undefined) return this.#enterUnder(above, owner, terms, forRun);
      if (owner !== undefined && !terms.once)
        refuseToWaitForOwnRun(this.#parts.rivals, owner.label, this.subject);
    }
    const since = startedAt(this.client);
    const gate = this.#parts.gate();
    const entered = gate.enter(terms);
    return isPending(entered)
      ? this.#holdWhenIn(gate, entered, terms, owner, since)
      : holdGrant(gate, entered, terms, owner, this.#key, since);
  }

  #enterAs(owner: ExplicitOwner, terms: AcquireTerms, forRun: boolean): Promise<GrantHold | null> {
    return enterAs(this.#parts, owner, terms, forRun, (own) => this.#enter(own, owner, forRun, true));
  }

  #enterUnder(
    above: HoldStack,
    owner: ExplicitOwner | undefined,
    terms: AcquireTerms,
    forRun: boolean,
  ): Promise<GrantHold | null> {
    return enterUnder(this.#parts, above, terms, forRun, (own) => this.#enter(own, owner, forRun, true));
  }

  #enterInside(scope: Scope, terms: AcquireTerms, forRun: boolean): MaybeAsync<GrantHold | null> {
    const entered = reenterFrom(this.#parts, scope, terms, forRun);
    return mapAnswer(entered, (hold) =>
      hold === AS_NEW_OWNER ? this.#enter(terms, undefined, forRun, true) : hold,
    );
  }

  #holdWhenIn(
    gate: Gate,
    entering: Pending<Grant | null>,
    terms: AcquireTerms,
    owner: ExplicitOwner | undefined,
    since: number | undefined,
  ): MaybeAsync<GrantHold | null> {
    return mapAnswer(entering, (grant) => holdGrant(gate, grant, terms, owner, this.#key, since));
  }
}

logAs(LockObject, 'Lock', ({ kind, name, engine }) => ({ kind, name, engine }));
