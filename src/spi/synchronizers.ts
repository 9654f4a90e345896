import type { Traits } from './traits.ts';

/** Makes several acquisitions one owner, so that they are re-entrant. Made by `locks.owner()`; lives in this process. */
export interface Owner {
  readonly label: string;
}

/** How long to wait, and how to stop waiting. */
export interface WaitOptions {
  /** Give up after this time. Without it `acquire` waits without limit and `tryAcquire` makes a single attempt. */
  readonly timeoutMs?: number;
  /** Stop waiting when it aborts; its reason is rethrown untouched. */
  readonly signal?: AbortSignal;
}

export interface HoldOptions extends WaitOptions {
  /**
   * The hold ends by itself after this time. Without it the hold is renewed for as long as it is kept: every third of
   * the engine's `renewalLeaseMs`.
   */
  readonly leaseMs?: number;
}

export interface AcquireOptions extends HoldOptions {
  /** Acquire as this owner: re-entrant with its other holds of the same lock. */
  readonly owner?: Owner;
}

/**
 * Something held. Apart from the lock, because a lock can be held again by somebody else while this one is still
 * around; what you were given is this.
 *
 * @example
 * ```ts
 * import { memory } from 'holdfast/memory';
 *
 * const locks = memory();
 * await using hold = await locks.lock('invoice:42').acquire({ timeoutMs: 5_000 });
 * console.log(hold.fence > 0n, hold.lost.aborted, hold.remainingMs > 0);
 * ```
 */
export interface Hold extends AsyncDisposable {
  /** Larger than that of every earlier exclusive hold of this name. Send it along with each write. */
  readonly fence: bigint;
  /** Aborts with a `LeaseLostError` when the hold ends before it is released. */
  readonly lost: AbortSignal;
  /** How long the hold is still good by this process's own stopwatch. Zero once lost or released. */
  readonly remainingMs: number;
  /** Throws a `LeaseLostError` if the hold is no longer good. Call it before each guarded act. */
  throwIfLost(): void;
  /** Makes at least `ms` remain; never shortens. */
  extend(ms: number): Promise<void>;
  /** Gives it back. The first release of a lost hold rejects with `LeaseLostError`; later calls do nothing. */
  release(): Promise<void>;
}

/** Whoever has it, as far as the store knows. */
export interface Holder {
  readonly owner: string;
  readonly fence: bigint;
  readonly remainingMs: number;
}

/** What can be acquired and held. */
export interface Acquirable<O extends WaitOptions, H extends Hold> {
  readonly name: string;
  /** Waits until it is held. Rejects with `AcquireTimeoutError`, or with the signal's reason. */
  acquire(options?: O): Promise<H>;
  /** One attempt, or as long as `timeoutMs` says. Answers null if it could not be had. */
  tryAcquire(options?: O): Promise<H | null>;
  /**
   * Acquires, calls `fn` with the hold, releases. An error of `fn` wins over an error of the release; if `fn` succeeded
   * but the hold was lost meanwhile, rejects with `LeaseLostError`.
   */
  run<T>(fn: (hold: H) => T | PromiseLike<T>, options?: O): Promise<T>;
}

/** Queries. All of them tell what was true a moment ago. */
export interface Inspectable {
  isLocked(): Promise<boolean>;
  holder(): Promise<Holder | null>;
  /** What is left of the current holder's lease in the store; 0 when nobody holds it. */
  remainingMs(): Promise<number>;
  /** How many wait: in the fleet or in this process, see `traits.waiters`. */
  waiters(): Promise<number>;
  /**
   * Takes it away from whoever holds it; the holder is told at its next renewal. With `fence`, only if that very grant
   * still stands. Answers whether something was taken away.
   */
  forceRelease(options?: { readonly fence?: bigint }): Promise<boolean>;
}

/**
 * At most one holder at a time, re-entrant inside `run` and for an explicit owner.
 *
 * @example
 * ```ts
 * import { memory } from 'holdfast/memory';
 *
 * const locks = memory();
 * const total = await locks.lock('account:7').run(async (hold) => {
 *   hold.throwIfLost();
 *   return 40 + 2;
 * });
 * console.log(total);
 * ```
 */
export interface Lock extends Acquirable<AcquireOptions, Hold>, Inspectable {
  readonly kind: 'lock' | 'fairLock' | 'readLock' | 'writeLock';
  /** The label of the engine it lives on. */
  readonly engine: string;
  /** How many holds the owner has, or the `run` that this is called in: 0 if none. */
  holdCount(owner?: Owner): number;
  /** Gives back the latest hold of an explicit owner; `NotHeldError` if it has none. */
  release(owner: Owner): Promise<void>;
  /** Makes at least `ms` remain for the hold of an explicit owner; `NotHeldError` if it has none. */
  extend(owner: Owner, ms: number): Promise<void>;
}

/** A lock whose fence can be raised to one from elsewhere, which a quorum needs to prove that its own increases. */
export interface FencedLock extends Lock {
  readonly kind: 'lock' | 'fairLock';
}

/**
 * Many readers or one writer. A writer may take the read side and keep it after it gives back the write side; a reader
 * that asks for the write side gets an `UpgradeError` at once, because it would wait for itself.
 *
 * @example
 * ```ts
 * import { memory } from 'holdfast/memory';
 *
 * const config = memory().readWriteLock('config');
 * await config.write.run(async () => {
 *   await using reading = await config.read.acquire(); // downgrade
 *   console.log(reading.fence > 0n);
 * });
 * ```
 */
export interface ReadWriteLock {
  readonly name: string;
  readonly read: Lock;
  readonly write: Lock;
}

export interface SemaphoreOptions extends HoldOptions {
  /** How many permits at a time; 1 without it. */
  readonly permits?: number;
}

export interface SemaphoreHold extends Hold {
  readonly permits: number;
}

/**
 * A number of permits, given out in the order of asking, so that a large request is not starved by small ones.
 *
 * @example
 * ```ts
 * import { memory } from 'holdfast/memory';
 *
 * const uploads = memory().semaphore('uploads', { permits: 3 });
 * await uploads.run(async (hold) => console.log(hold.permits, await uploads.available()), { permits: 2 });
 * ```
 */
export interface Semaphore extends Acquirable<SemaphoreOptions, SemaphoreHold> {
  readonly permits: number;
  available(): Promise<number>;
  waiters(): Promise<number>;
}

export interface Permit extends SemaphoreHold {
  /** Whoever has the id may extend or release the permit, also in another process. */
  readonly id: string;
}

/**
 * A semaphore whose permits have an id and a lease of their own: one that was taken with `leaseMs` outlives the process
 * that took it, can be handed over by its id, and expires by itself.
 *
 * @example
 * ```ts
 * import { memory } from 'holdfast/memory';
 *
 * const seats = memory().permitSemaphore('seats', { permits: 10 });
 * const { id } = await seats.acquire({ leaseMs: 60_000 });
 * console.log(await seats.extend(id, 120_000), await seats.release(id), await seats.release(id)); // true true false
 * ```
 */
export interface PermitSemaphore extends Acquirable<SemaphoreOptions, Permit> {
  readonly permits: number;
  available(): Promise<number>;
  waiters(): Promise<number>;
  /** Makes at least `ms` remain for the permit. False if it has expired or was released. */
  extend(id: string, ms: number): Promise<boolean>;
  /** Gives the permit back. False if it has expired or was released before. */
  release(id: string): Promise<boolean>;
}

/**
 * A gate that opens when a count reaches zero.
 *
 * @example
 * ```ts
 * import { memory } from 'holdfast/memory';
 *
 * const ready = memory().latch('ready');
 * await ready.trySetCount(2);
 * const opened = ready.await();
 * await ready.countDown();
 * await ready.countDown();
 * await opened;
 * ```
 */
export interface Latch {
  readonly name: string;
  /** Sets the count of an open latch; false while it still counts. */
  trySetCount(count: number): Promise<boolean>;
  /** Counts down, never below zero; answers what is left. */
  countDown(by?: number): Promise<number>;
  count(): Promise<number>;
  /** Waits until the count is zero. A latch that was never set is open. */
  await(options?: WaitOptions): Promise<void>;
  /** Sets the count whatever it was. Without a number it opens the latch. */
  reset(count?: number): Promise<void>;
}

/** How an arrival ended. */
export interface Arrival {
  readonly generation: number;
  /** Counts down: the last to arrive has 0 and may do what is to be done once. */
  readonly index: number;
}

/**
 * Waits until a number of parties have arrived, again and again.
 *
 * @example
 * ```ts
 * import { memory } from 'holdfast/memory';
 *
 * const round = memory().barrier('round', { parties: 2 });
 * const [first, second] = await Promise.all([round.arrive(), round.arrive()]);
 * console.log(first.generation === second.generation, first.index, second.index); // true 1 0
 * ```
 */
export interface Barrier {
  readonly name: string;
  readonly parties: number;
  /**
   * Waits for the others. Giving up (time-out, abort) breaks the barrier: the others get a `BrokenBarrierError`, so does
   * everybody who arrives before `reset`.
   */
  arrive(options?: WaitOptions): Promise<Arrival>;
  waiting(): Promise<number>;
  isBroken(): Promise<boolean>;
  /** Starts a new generation; parties that wait get a `BrokenBarrierError`. */
  reset(): Promise<void>;
}

export interface CampaignOptions<V> extends HoldOptions {
  /** What the leader tells the others. */
  readonly value?: V;
}

/** The office of the leader, while it lasts. */
export interface Leadership<V> extends Hold {
  /** Null if none was given. */
  readonly value: V | null;
  /** Tells the others something new; rejects with `LeaseLostError` if no longer in office. */
  proclaim(value: V): Promise<void>;
  /** Steps down: the same as `release`. */
  resign(): Promise<void>;
}

export interface Leader<V> {
  /** Null if it gave none. */
  readonly value: V | null;
  readonly owner: string;
  readonly fence: bigint;
}

/**
 * One leader at a time, candidates in the order of their campaign.
 *
 * @example
 * ```ts
 * import { memory } from 'holdfast/memory';
 *
 * const election = memory().election<string>('scheduler');
 * await using leadership = await election.campaign({ value: 'pod-1' });
 * for await (const leader of election.observe()) {
 *   console.log(leader?.value); // pod-1
 *   break;
 * }
 * ```
 */
export interface Election<V> {
  readonly name: string;
  /** Waits to become the leader. */
  campaign(options?: CampaignOptions<V>): Promise<Leadership<V>>;
  leader(): Promise<Leader<V> | null>;
  candidates(): Promise<number>;
  /** The leader now and after each change; null while there is none. Quick changes may be seen as one. */
  observe(options?: { readonly signal?: AbortSignal }): AsyncIterableIterator<Leader<V> | null>;
}

/** The inside of a monitor, for as long as the section runs. */
export interface Inside<S> {
  /** The guarded state, as of entering, of the last wait, or of the last `set`. */
  readonly state: S;
  readonly hold: Hold;
  /** Writes when the section ends or waits, and only if it still holds the monitor then. */
  set(state: S): void;
  /** Leaves, waits to be signalled, comes back. False if `timeoutMs` was over first; the monitor is held either way. */
  wait(condition: string, options?: { readonly timeoutMs?: number }): Promise<boolean>;
  /** Waits until the state satisfies `holds`, checking again after each signal, as Mesa demands. */
  waitUntil(
    condition: string,
    holds: (state: S) => boolean,
    options?: { readonly timeoutMs?: number },
  ): Promise<boolean>;
  /** Lets one waiter of the condition go on, when this section ends or waits. */
  signal(condition: string): void;
  /** Lets all of them go on. */
  signalAll(condition: string): void;
}

/**
 * A Mesa monitor across processes: a state that only one section at a time sees and changes, and conditions to wait for.
 *
 * @example
 * ```ts
 * import { memory } from 'holdfast/memory';
 *
 * const queue = memory().monitor('queue', { initial: { items: [] as string[] } });
 * const taken = queue.run(async (m) => {
 *   await m.waitUntil('notEmpty', (s) => s.items.length > 0);
 *   const [item, ...items] = m.state.items;
 *   m.set({ items });
 *   return item;
 * });
 * await queue.run((m) => {
 *   m.set({ items: [...m.state.items, 'parcel'] });
 *   m.signal('notEmpty');
 * });
 * console.log(await taken); // parcel
 * ```
 */
export interface Monitor<S> {
  readonly name: string;
  /** Enters, runs the section, writes and leaves in one step. If `fn` throws, writes since the last wait are dropped. */
  run<T>(fn: (m: Inside<S>) => T | PromiseLike<T>, options?: HoldOptions): Promise<T>;
  /** The guarded state as last written, without entering. */
  peek(): Promise<S>;
  isLocked(): Promise<boolean>;
  waiters(): Promise<number>;
}

/** Several holds as one. There is no single fence: each member has its own. */
export interface MultiHold extends Omit<Hold, 'fence'> {
  /** In the order in which the locks were given. */
  readonly fences: readonly bigint[];
}

/** All of several locks or none. */
export interface MultiLock {
  readonly locks: readonly Lock[];
  acquire(options?: HoldOptions): Promise<MultiHold>;
  tryAcquire(options?: HoldOptions): Promise<MultiHold | null>;
  run<T>(fn: (hold: MultiHold) => T | PromiseLike<T>, options?: HoldOptions): Promise<T>;
}

/** A hold on a majority. It has a fence only if the members can prove that it increases. */
export type QuorumHold<L extends Lock> = L extends FencedLock ? Hold : Omit<Hold, 'fence'>;

/** A lock that is held by holding a majority of independent ones. */
export interface QuorumLock<H> {
  readonly locks: readonly Lock[];
  acquire(options?: HoldOptions): Promise<H>;
  tryAcquire(options?: HoldOptions): Promise<H | null>;
  run<T>(fn: (hold: H) => T | PromiseLike<T>, options?: HoldOptions): Promise<T>;
}

export interface QuorumOptions {
  /** How long one member is waited for before its answer no longer counts. */
  readonly memberTimeoutMs?: number;
  /** The longest lease that any client of these members uses; a member that is younger than this does not count. */
  readonly longestLeaseMs?: number;
}

/** What happened, for those who listen. */
export interface HoldfastEvent {
  readonly kind: string;
  readonly name: string;
  readonly engine: string;
  readonly owner?: string;
  readonly fence?: bigint;
  /** How long it took to acquire, or how long it was held. */
  readonly elapsedMs?: number;
  readonly error?: unknown;
}

export interface EventMap {
  readonly acquire: HoldfastEvent;
  readonly release: HoldfastEvent;
  readonly renew: HoldfastEvent;
  readonly lost: HoldfastEvent;
  readonly contended: HoldfastEvent;
  /** A background step failed and will be tried again or is given up: the release of a hold, a renewal, a withdrawal. */
  readonly trouble: HoldfastEvent;
}

/** Everything an engine can offer, by name. */
export interface Factories {
  lock(name: string): FencedLock;
  fairLock(name: string): FencedLock;
  readWriteLock(name: string): ReadWriteLock;
  semaphore(name: string, options: { readonly permits: number }): Semaphore;
  permitSemaphore(name: string, options: { readonly permits: number }): PermitSemaphore;
  latch(name: string): Latch;
  barrier(name: string, options: { readonly parties: number }): Barrier;
  election<V = string>(name: string): Election<V>;
  monitor<S>(name: string, options: { readonly initial: S }): Monitor<S>;
}

/** An engine as users see it: the factories it offers, and nothing it lacks. */
export type Synchronizers<K extends keyof Factories = keyof Factories> = Pick<Factories, K> &
  AsyncDisposable & {
    /** Tells engines apart in errors, events and the order of a multi-lock. */
    readonly label: string;
    readonly traits: Traits;
    /** An explicit owner: holds acquired with it are re-entrant. */
    owner(label?: string): Owner;
    /** Listens; returns a function that ends it. */
    on<E extends keyof EventMap>(event: E, listener: (event: EventMap[E]) => void): () => void;
    /** Releases what this object holds, rejects its waiters with `ClosedError`, leaves your client open. */
    close(): Promise<void>;
  };
