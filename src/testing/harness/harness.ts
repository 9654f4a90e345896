import type { Factories, Synchronizers } from '../../index.ts';

/** What a suite sets on a client. Every engine takes these options. */
export interface HarnessClientOptions {
  readonly label?: string;
  readonly renewalLeaseMs?: number;
  readonly maxHoldMs?: number;
  readonly name?: string;
  readonly announce?: boolean;
}

/** The time of the clients under test. */
export interface HarnessTime {
  /** Milliseconds that only grow. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /**
   * Lets time pass while no timer of this process can run, as in a blocked event loop. Returns when the time is over.
   */
  stall(ms: number): void;
  /**
   * Whether the clock is virtual: nothing takes time but sleeping. The suites then assert durations exactly, else from
   * below.
   */
  readonly exact: boolean;
  /**
   * The unit of all leases and time-outs in the suites, in milliseconds. Long enough that a lease of two units does not
   * end by accident on a loaded machine, and not shorter than the engine's `leaseGranularityMs`. 1000 on a virtual
   * clock.
   */
  readonly unitMs: number;
}

/**
 * What the author of an engine provides, so that the suites can test it.
 *
 * @example
 * ```ts
 * import { memory, MemoryStore } from 'holdfast/memory';
 * import type { Harness } from 'holdfast/testing';
 *
 * let store = new MemoryStore();
 * const harness: Harness<'lock'> = {
 *   engine: 'memory',
 *   factories: ['lock'],
 *   time: {
 *     now: () => performance.now(),
 *     sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
 *     stall: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
 *     exact: false,
 *     unitMs: 200,
 *   },
 *   open: async (options) => memory({ ...options, store }),
 *   run: async (body) => {
 *     store = new MemoryStore();
 *     await body();
 *   },
 *   leftovers: async () => (store.takeCensus().watchers === 0 ? [] : ['a watcher']),
 * };
 * await harness.run(async () => {
 *   const locks = await harness.open();
 *   await locks.lock('a').run(() => console.log('alone')); // alone
 *   await locks.close();
 * });
 * ```
 */
export interface Harness<K extends keyof Factories = keyof Factories> {
  /** The label that clients have when the suite gives them none. */
  readonly engine: string;
  /** Everything the engine offers. A suite proves that its clients have neither more nor less. */
  readonly factories: readonly (keyof Factories)[];
  /** What its clients have beside that: the engine's own additions, tested by its author. */
  readonly extras?: readonly string[];
  readonly time: HarnessTime;
  /** Opens a new client, on the same store as all others of this test. */
  open(options?: HarnessClientOptions): Promise<Synchronizers<K>>;
  /** Wraps one test: an empty store before it, the store cleaned afterwards, a virtual clock advanced meanwhile. */
  run(body: () => Promise<void>): Promise<void>;
  /** Set if clients announce themselves in the store, and see who holds: see `Announcements`. */
  readonly announces?: true | undefined;
  /** Why its locks take no `minHoldMs`, if they do not: its holds end with a session, or by another program's rules. */
  readonly withoutMinHold?: string;
  /** Ends the client as `kill -9` would: it releases nothing, and none of its code runs again. */
  crash?(client: Synchronizers<K>): Promise<void>;
  /** Makes the store decide the client's next request and drop the answer. */
  loseNextReply?(client: Synchronizers<K>): void;
  /** Silences the store for this client: it answers nothing until the returned function is called. */
  silence?(client: Synchronizers<K>): () => void;
  /** Opens a client of another store of this engine, one that has just started: for the quorum. */
  openYoung?(options?: HarnessClientOptions): Promise<Synchronizers<K>>;
  /**
   * Lists what is left that no test asked to keep: holds, tickets, watchers, sessions, timers, listeners. The suites
   * demand that the list is empty when the clients of a test are closed. What users put into the store does not count:
   * the state of a monitor, a latch, a broken barrier.
   */
  leftovers(): Promise<readonly string[]>;
}
