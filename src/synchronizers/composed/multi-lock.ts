import { checkFunction, checkOptions, readTerms, subjectOf } from '../../core/arguments.ts';
import type { AcquireTerms } from '../../core/acquire/acquire-terms.ts';
import { Contact, isOwedForLong } from '../../core/acquire/contact.ts';
import { SilentStoreError } from '../../core/failures/silent-store.ts';
import { explainTimeout } from '../../core/failures/explain-timeout.ts';
import { timeoutError } from '../../core/failures/timeout-error.ts';
import { awaitStep } from '../../core/acquire/awaited-step.ts';
import { logAs } from '../../core/log-as.ts';
import type { ErrorSubject } from '../../spi/errors.ts';
import { AcquireTimeoutError, LeaseLostError } from '../../spi/errors.ts';
import type { AcquireOptions, HoldOptions, Lock, MultiHold, MultiLock } from '../../spi/synchronizers.ts';
import type { GrantHold } from '../hold.ts';
import { releaseQuietly } from '../release-at-end.ts';
import type { LockObject } from '../lock/lock.ts';
import { runSection } from '../run-section.ts';
import { checkMembers, composedSubject, inOrder } from './members.ts';
import { ManyHolds, releaseAll } from './many-holds.ts';

/** How long a member is waited for while others are held. Never without bound: that is how deadlocks are made. */
const BOUND_MS = 100;
const LONGEST_PAUSE_MS = 200;

type MemberHolds = Map<LockObject, GrantHold>;

class MultiLockObject implements MultiLock {
  readonly locks: readonly Lock[];
  readonly #ordered: readonly LockObject[];
  readonly #members: readonly LockObject[];
  readonly #subject: ErrorSubject;

  constructor(members: readonly LockObject[]) {
    this.locks = members;
    this.#members = members;
    this.#ordered = inOrder(members);
    this.#subject = composedSubject('multiLock', members);
  }

  acquire(options?: HoldOptions): Promise<MultiHold> {
    return this.#acquireFor(options, false);
  }

  async tryAcquire(options?: HoldOptions): Promise<MultiHold | null> {
    const held = await this.#acquireAll(this.#terms(options, true), options, false);
    return held instanceof ManyHolds ? held : null;
  }

  async run<T>(fn: (hold: MultiHold) => T | PromiseLike<T>, options?: HoldOptions): Promise<T> {
    checkFunction(fn, this.#subject);
    return runSection(this.#acquireFor(options, true), (hold) => hold.insideAll(() => fn(hold)), {
      abandon: (hold) => hold[Symbol.asyncDispose](),
      finish: (hold) => hold.releaseAfterSuccess(),
    });
  }

  async #acquireFor(options: HoldOptions | undefined, forRun: boolean) {
    const terms = this.#terms(options, false);
    const held = await this.#acquireAll(terms, options, forRun);
    if (held instanceof ManyHolds) return held;
    const { kind, name, client, protocol } = held;
    const contested = {
      kind,
      name,
      client,
      protocol,
      subject: this.#subject,
      blockers: () => held.blockers(),
      member: held.subject.resource,
    };
    return explainTimeout(
      contested,
      terms.timeoutMs,
      timeoutError(this.#subject, terms.timeoutMs),
      terms.signal,
    );
  }

  #terms(options: HoldOptions | undefined, single: boolean): AcquireTerms {
    checkOptions(options, ['timeoutMs', 'leaseMs', 'signal'], this.#subject);
    return readTerms(options, single, this.#members[0]!.client, this.#subject);
  }

  /**
   * The contended member first, with all the time there is; then the others, each with a bounded wait. Answers the contended member
   * when the time is over.
   */
  async #acquireAll(
    terms: AcquireTerms,
    options: HoldOptions | undefined,
    forRun: boolean,
  ): Promise<ManyHolds | LockObject> {
    const { client } = this.#members[0]!;
    let first = this.#ordered[0]!;
    let wasRefused = false;
    for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const taken: MemberHolds = new Map();
      try {
        const refused = await this.#takeAll(taken, first, terms, options, forRun, wasRefused);
        if (refused === undefined) return await this.#complete(taken, terms);
        await releaseAll(taken.values());
        if (terms.once || client.clock.now() >= terms.until) return refused;
        first = refused;
        wasRefused = true;
      } catch (error) {
        // A silent store would keep the caller waiting for as long again.
        if (error instanceof SilentStoreError) client.background(releaseAll(taken.values()));
        else await releaseAll(taken.values());
        throw error;
      }
      // At random, so that two fleets of the same locks do not meet in the same step without end.
      await client.sleep(client.random.fraction() * pauseMs);
      terms.signal?.throwIfAborted();
      if (client.clock.now() >= terms.until) return first;
    }
  }

  /** The member that was not acquired in its time, if any. */
  async #takeAll(
    taken: MemberHolds,
    first: LockObject,
    terms: AcquireTerms,
    options: HoldOptions | undefined,
    forRun: boolean,
    wasRefused: boolean,
  ): Promise<LockObject | undefined> {
    const order = [first, ...this.#ordered.filter((lock) => lock !== first)];
    for (const lock of order) {
      const hold = await this.#takeOne(lock, terms, options, taken.size > 0, forRun, wasRefused);
      if (hold === null) return lock;
      taken.set(lock, hold);
    }
    return undefined;
  }

  async #takeOne(
    lock: LockObject,
    terms: AcquireTerms,
    options: HoldOptions | undefined,
    bounded: boolean,
    forRun: boolean,
    wasRefused: boolean,
  ): Promise<GrantHold | null> {
    if (terms.once) return lock.tryAcquireFor(withoutTimeout(options), forRun);
    const left = Math.max(0, terms.until - lock.client.clock.now());
    const timeoutMs = bounded ? Math.min(left, BOUND_MS) : left;
    const asked = timeoutMs === Infinity ? withoutTimeout(options) : { ...options, timeoutMs };
    let wasAnswered = wasRefused;
    try {
      // What is free is acquired however long the way to the store is: only waiting for another holder is bounded.
      const free = bounded ? await this.#tryOne(lock, terms, options, forRun) : null;
      wasAnswered ||= bounded;
      return free ?? (await lock.acquireFor(asked, forRun));
    } catch (error) {
      // Each round begins a wait anew for what is left of the time, down to nothing. A store that has answered an earlier
      // attempt of this caller is judged by the whole time-out; a bound of ours proves nothing either.
      const isShort = timeoutMs < left || !isOwedForLong(timeoutMs, terms.timeoutMs);
      const isCut = wasAnswered && isShort && error instanceof SilentStoreError;
      if (isCut || error instanceof AcquireTimeoutError) return null;
      throw error;
    }
  }

  /** One attempt, for as long as the caller has patience. What it brings later is given back. */
  async #tryOne(
    lock: LockObject,
    terms: AcquireTerms,
    options: HoldOptions | undefined,
    forRun: boolean,
  ): Promise<GrantHold | null> {
    const trying = lock.tryAcquireFor(withoutTimeout(options), forRun);
    if (terms.until === Infinity) return trying;
    const { client, kind, name } = lock;
    try {
      // Other members have been waited for before: an attempt that is sent just before the end is no sign of an outage.
      return await awaitStep(client, subjectOf(kind, name, client.label), terms, trying, new Contact(true));
    } catch (error) {
      client.background(trying.then((late) => late && releaseQuietly(late)));
      throw error;
    }
  }

  /** Leases count from the last member, not from the first: those taken earlier are made as long again. */
  async #complete(taken: MemberHolds, terms: AcquireTerms): Promise<ManyHolds> {
    if (!terms.renewed) await Promise.all([...taken.values()].map((hold) => hold.extend(terms.leaseMs)));
    const lost = [...taken.values()].find((hold) => hold.grant.loss !== undefined);
    if (lost?.grant.loss instanceof LeaseLostError) throw lost.grant.loss;
    return new ManyHolds(this.#members, taken);
  }
}

logAs(MultiLockObject, 'MultiLock', ({ locks }) => ({ kind: 'multiLock', locks }));

function withoutTimeout(options: HoldOptions | undefined): AcquireOptions {
  const { timeoutMs: _none, ...rest } = options ?? {};
  return rest;
}

/**
 * All of several locks or none, of one engine or of many.
 *
 * Members are taken in one order everywhere, and never waited for without bound while others are held: if one cannot be
 * had, all are given back, and the next round starts with that one. The hold has one fence for each member.
 *
 * @example
 * ```ts
 * import { multiLock } from 'holdfast';
 * import { memory } from 'holdfast/memory';
 *
 * const locks = memory();
 * const both = multiLock([locks.lock('account:1'), locks.lock('account:2')]);
 * await both.run(async (hold) => console.log(hold.fences.length)); // 2
 * ```
 */
export function multiLock(locks: readonly Lock[]): MultiLock {
  return new MultiLockObject(checkMembers('multiLock', locks));
}
