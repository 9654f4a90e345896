import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import type { Factories, Synchronizers, Traits } from '../../index.ts';
import type { HarnessClientOptions, Harness, HarnessTime } from './harness.ts';
import { ignoreOutcome } from './ignore-outcome.ts';
import { safetyMarginMs } from './safety-margin.ts';
import type { StallDetector } from './stall-detector.ts';

/** The tolerance of all comparisons of times: for the rounding of fractions, not for lateness. */
const ROUNDING_MS = 1e-2;
/** How early a timer of the machine may fire. */
const EARLY_MS = 2;
/** How many units to wait for something before the case fails: a case that waited on would only end by being killed. */
const LONGEST_WAIT_UNITS = 100;

let tests = 0;

/** What one case works with. Everything that the case opens is closed when it ends. */
export class Bench<K extends keyof Factories> {
  /** A name that no other case uses. */
  readonly name = `case-${++tests}`;
  readonly harness: Harness<K>;
  readonly time: HarnessTime;
  /** See {@link HarnessTime.unitMs}. */
  readonly unit: number;
  readonly #standstill: StallDetector;
  readonly #begunAt: number;
  readonly #clients = new Set<Synchronizers<K>>();
  readonly #signals: AbortSignal[] = [];

  constructor(harness: Harness<K>, standstill: StallDetector) {
    this.harness = harness;
    this.#standstill = standstill;
    this.#begunAt = harness.time.now();
    this.time = harness.time;
    this.unit = harness.time.unitMs;
  }

  async open(options?: HarnessClientOptions): Promise<Synchronizers<K>> {
    return this.#tracked(await this.harness.open(options));
  }

  async openYoung(options?: HarnessClientOptions): Promise<Synchronizers<K>> {
    const young = await this.harness.openYoung?.(options);
    assert.ok(young, 'a case that opens a young store says that it needs it');
    return this.#tracked(young);
  }

  async crash(client: Synchronizers<K>): Promise<void> {
    this.#clients.delete(client);
    await this.harness.crash?.(client);
  }

  loseNextReply(client: Synchronizers<K>): void {
    this.harness.loseNextReply?.(client);
  }

  /** Silences the store for this client, until the returned function is called. */
  silence(client: Synchronizers<K>): () => void {
    const speak = this.harness.silence?.(client);
    assert.ok(speak, 'a case that silences the store says that it needs it');
    return speak;
  }

  /** Lets time pass while no code of this process runs. */
  stall(ms: number): void {
    this.#standstill.cause(ms);
  }

  /**
   * Calls that the case begins here and awaits later. A case that fails before closes its clients, which rejects what they have under
   * way: without a handler that would end the process, or fail a run in which the case passes when it is run again.
   */
  begin<const C extends Promise<unknown> | readonly Promise<unknown>[]>(calls: C): C {
    for (const call of [calls].flat() as readonly Promise<unknown>[]) ignoreOutcome(call);
    return calls;
  }

  /** An abort controller whose signal must have no listener left when the case ends. */
  controller(): AbortController {
    const controller = new AbortController();
    this.#signals.push(controller.signal);
    return controller;
  }

  /**
   * Waits for a condition that no event announces. Checks it often: the tempting alternative, to sleep for as long as
   * it usually takes, is how tests become flaky.
   */
  async until(happened: () => Promise<boolean> | boolean): Promise<void> {
    const longestMs = LONGEST_WAIT_UNITS * this.unit;
    const since = this.time.now();
    while (!(await happened())) {
      assert.ok(this.time.now() - since < longestMs, `what was waited for did not happen in ${longestMs} ms`);
      await this.time.sleep(1);
    }
  }

  /** Waits until so many owners are queued: pass one object of each client that has waiters. */
  async untilWaiting(count: number, ...things: readonly Waited[]): Promise<void> {
    await this.until(async () => (await this.waiting(...things)) === count);
  }

  /** How many owners are queued, whether the engine counts those of the fleet or those of each client. */
  async waiting(...things: readonly Waited[]): Promise<number> {
    const [client] = this.#clients;
    const [first] = things;
    const fleet = client === undefined || first === undefined || countsFleet(client.traits, first);
    const asked = fleet ? things.slice(0, 1) : things;
    const counts = await Promise.all(asked.map((thing) => thing.waiters()));
    return counts.reduce((sum, one) => sum + one, 0);
  }

  /** Asserts that so much time has passed: exactly on a virtual clock, at least on another. */
  assertElapsed(since: number, ms: number): void {
    const elapsed = this.time.now() - since;
    if (this.time.exact) assert.ok(Math.abs(elapsed - ms) < ROUNDING_MS, `${elapsed} ms, expected ${ms}`);
    else assert.ok(elapsed >= ms - this.#earlyMs, `${elapsed} ms, expected at least ${ms}`);
  }

  /**
   * Asserts that a holder has heard of the end of its lease, and no sooner than it had to. An acquisition that is sent again asks the
   * store what is left, and counts that from before it asked: on a real clock the lease may end earlier by what the acquisition took.
   */
  assertLeaseLasted(askedAt: number, acquiredAt: number, leaseMs: number): void {
    const earlierMs = this.time.exact ? 0 : acquiredAt - askedAt;
    this.assertElapsed(askedAt, leaseMs - safetyMarginMs(leaseMs) - earlierMs);
  }

  /** Asserts that at least so much time has passed, on any clock. */
  assertNotBefore(since: number, ms: number): void {
    const elapsed = this.time.now() - since;
    const tolerance = this.time.exact ? ROUNDING_MS : this.#earlyMs;
    assert.ok(elapsed >= ms - tolerance, `${elapsed} ms, expected at least ${ms}`);
  }

  /**
   * Asserts that no more time has passed than this. Without a virtual clock nothing is asserted: a loaded machine may
   * need any time at all.
   */
  assertWithin(since: number, ms: number): void {
    const elapsed = this.time.now() - since;
    if (this.time.exact) assert.ok(elapsed <= ms + ROUNDING_MS, `${elapsed} ms, expected at most ${ms}`);
  }

  /** Asserts a duration: exactly this on a virtual clock, at least this on another. */
  assertAtLeast(actual: number, expected: number): void {
    if (this.time.exact) this.assertAbout(actual, expected);
    else assert.ok(actual >= expected - this.#earlyMs, `${actual}, expected at least ${expected}`);
  }

  /** Asserts what is left of a lease: exactly this on a virtual clock, else not less than if it began with the case. */
  assertAbout(actual: number, expected: number): void {
    const spentMs = this.time.exact ? 0 : this.time.now() - this.#begunAt;
    const [least, most] = this.time.exact
      ? [expected - ROUNDING_MS, expected + ROUNDING_MS]
      : [expected - spentMs - this.#earlyMs, expected + EARLY_MS];
    assert.ok(actual >= least && actual <= most, `${actual}, expected ${expected} within ${spentMs} ms`);
  }

  async close(): Promise<void> {
    for (const client of this.#clients) await client.close();
  }

  /** Asserts, when all is closed, that nothing is left in the store or in this process. */
  async assertNothingLeft(): Promise<void> {
    assert.deepEqual(await this.harness.leftovers(), [], 'left behind');
    const listeners = this.#signals.map((signal) => getEventListeners(signal, 'abort').length);
    assert.ok(
      listeners.every((count) => count === 0),
      `listeners left on signals: ${listeners.join(', ')}`,
    );
  }

  /** Where an engine stores leases in steps, they may end early by one step. */
  get #earlyMs(): number {
    const [client] = this.#clients;
    return EARLY_MS + (client?.traits.leaseGranularityMs ?? 0);
  }

  #tracked(client: Synchronizers<K>): Synchronizers<K> {
    this.#clients.add(client);
    return client;
  }
}

/** A synchronizer that counts its waiters. */
export interface Waited {
  waiters(): Promise<number>;
}

/** Whether the engine counts the waiters of the whole fleet, or of this client alone. */
export function countsFleet({ waiters }: Traits, thing: Waited): boolean {
  if (typeof waiters === 'string') return waiters === 'fleet';
  return (waiters[kindOf(thing)] ?? waiters.others) === 'fleet';
}

function kindOf(thing: Waited): string {
  if ('kind' in thing) return String(thing.kind).replace(/^(read|write)Lock$/, 'readWriteLock');
  return 'permits' in thing ? 'semaphore' : 'others';
}
