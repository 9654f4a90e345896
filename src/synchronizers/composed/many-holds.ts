import { abortInTurn } from '../../core/async/abort-in-turn.ts';
import { onAbort } from '../../core/async/aborts.ts';
import { logAs } from '../../core/log-as.ts';
import type { MultiHold } from '../../spi/synchronizers.ts';
import type { GrantHold } from '../hold.ts';
import { releaseAfterSuccess, releaseQuietly } from '../release-at-end.ts';
import type { LockObject } from '../lock/lock.ts';

/** Gives back all of them, whatever becomes of each. */
export async function releaseAll(holds: Iterable<GrantHold>): Promise<void> {
  await Promise.all([...holds].map(releaseQuietly));
}

/** Several holds as one: lost when any of them is. */
export class ManyHolds implements MultiHold {
  readonly #members: readonly LockObject[];
  readonly #taken: ReadonlyMap<LockObject, GrantHold>;
  #lost: AbortController | undefined;

  constructor(members: readonly LockObject[], taken: ReadonlyMap<LockObject, GrantHold>) {
    this.#members = members;
    this.#taken = taken;
  }

  /** The hold of each member, in the order of the members. */
  get holds(): readonly GrantHold[] {
    return this.#members.map((lock) => this.#taken.get(lock)!);
  }

  get fences(): readonly bigint[] {
    return this.holds.map(({ fence }) => fence);
  }

  get lost(): AbortSignal {
    if (this.#lost === undefined) {
      const controller = new AbortController();
      this.#lost = controller;
      for (const { lost } of this.#taken.values()) {
        if (lost.aborted) abortInTurn(controller, lost.reason);
        else onAbort(lost, () => abortInTurn(controller, lost.reason));
      }
    }
    // Looking at each makes a deadline that has passed count, even if no timer has run since.
    for (const hold of this.#taken.values()) void hold.remainingMs;
    return this.#lost.signal;
  }

  get remainingMs(): number {
    return Math.min(...[...this.#taken.values()].map((hold) => hold.remainingMs));
  }

  throwIfLost(): void {
    for (const hold of this.#taken.values()) hold.throwIfLost();
  }

  async extend(ms: number): Promise<void> {
    await Promise.all([...this.#taken.values()].map((hold) => hold.extend(ms)));
  }

  /** Gives back all; rejects with the first error if one was lost or could not be reached. */
  async release(): Promise<void> {
    const released = await Promise.allSettled([...this.#taken.values()].map((hold) => hold.release()));
    const failed = released.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** As `run` of each member does: a loss is an error, an unreachable store is not. */
  async releaseAfterSuccess(): Promise<void> {
    const released = await Promise.allSettled(
      [...this.#taken.values()].map(async (hold) => releaseAfterSuccess(hold)),
    );
    const lost = released.find((outcome) => outcome.status === 'rejected');
    if (lost !== undefined) throw lost.reason;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#taken.values()].map((hold) => hold[Symbol.asyncDispose]()));
  }

  /** Runs in the scope of every member, so that each is re-entrant inside. */
  insideAll<T>(fn: () => T | PromiseLike<T>): T | PromiseLike<T> {
    let inside = fn;
    for (const [lock, hold] of this.#taken) {
      const outer = inside;
      inside = () => lock.runSection(hold, outer);
    }
    return inside();
  }
}

logAs(ManyHolds, 'MultiHold', ({ holds }) => ({ kind: 'multiLock', holds }));
