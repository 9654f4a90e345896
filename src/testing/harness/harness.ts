import type { Factories, Synchronizers } from '../../index.ts';

/** What a suite sets on a client. Every engine takes these. */
export interface HarnessClientOptions {
  readonly label?: string;
  readonly renewalLeaseMs?: number;
  readonly maxHoldMs?: number;
}

/** The time that the clients under test live in. */
export interface HarnessTime {
  /** Milliseconds that only grow. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** Time passes and no timer of this process can run, as in a blocked event loop. Returns when it is over. */
  stall(ms: number): void;
  /** A virtual clock: nothing takes time but sleeping. What is measured is then asserted exactly, else from below. */
  readonly exact: boolean;
  /**
   * The measure of all leases and time-outs in the suites. Long enough that a lease of two units is not over by accident
   * on a loaded machine, and not shorter than the engine's `leaseGranularityMs`. A thousand on a virtual clock.
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
 *   leftovers: async () => (store.census().watchers === 0 ? [] : ['a watcher']),
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
  /** Everything the engine offers. A suite proves that this is neither more nor less than what its clients have. */
  readonly factories: readonly (keyof Factories)[];
  /** What its clients have beside that: the engine's own, tested by its author. */
  readonly extras?: readonly string[];
  readonly time: HarnessTime;
  /** A new client, on the same store as all others that were opened in this test. */
  open(options?: HarnessClientOptions): Promise<Synchronizers<K>>;
  /** Wraps one test: an empty store before, the store cleaned afterwards, a virtual clock pumped meanwhile. */
  run(body: () => Promise<void>): Promise<void>;
  /** As kill -9: the client vanishes, releases nothing, and none of its code runs again. */
  crash?(client: Synchronizers<K>): Promise<void>;
  /** The store decides the client's next request, and the answer never arrives. */
  loseNextReply?(client: Synchronizers<K>): void;
  /** The store falls silent for this client: nothing that it sends is answered, until what this returns is called. */
  silence?(client: Synchronizers<K>): () => void;
  /** A client of another store of this engine, one that has just started: for the quorum. */
  openYoung?(options?: HarnessClientOptions): Promise<Synchronizers<K>>;
  /**
   * What is still there that no test asked to keep: holds, places in line, watchers, sessions, timers, listeners. The
   * suites demand that it is empty when the clients of a test are closed. What users put into the store does not count:
   * the state of a monitor, a latch, a broken barrier.
   */
  leftovers(): Promise<readonly string[]>;
}
