import type { Owing } from '../../spi/verbs/holding.ts';
import { onAbort } from '../async/aborts.ts';
import type { AcquireTerms } from '../acquire/acquire-terms.ts';
import { TimerTask } from '../time/timer-queue.ts';
import type { Grant } from '../grants/grant.ts';
import type { Holdable } from '../acquire/holdable.ts';
import { isOwedForLong } from '../acquire/contact.ts';
import { silentStoreError } from '../failures/silent-store.ts';
import { owedTimeoutError, timeoutError } from '../failures/timeout-error.ts';

/** Where a local waiter stands. */
export interface WaitersLine extends Owing {
  /** Forgets a waiter that has given up. */
  dropWaiter(waiter: LocalWaiter): void;
}

/** One local waiter: handed a grant, called to the head (undefined), or gone by time-out or abort. */
export class LocalWaiter extends TimerTask {
  readonly terms: AcquireTerms;
  readonly promise: Promise<Grant | undefined>;
  before: LocalWaiter | undefined;
  after: LocalWaiter | undefined;
  readonly #holdable: Holdable;
  readonly #line: WaitersLine;
  readonly #unlisten: (() => void) | undefined;
  #resolve!: (grant: Grant | Promise<Grant> | undefined) => void;
  #reject!: (error: unknown) => void;

  constructor(holdable: Holdable, terms: AcquireTerms, line: WaitersLine) {
    super();
    this.#holdable = holdable;
    this.terms = terms;
    this.#line = line;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const { signal, until, followed } = terms;
    if (followed !== undefined) followed.source = line;
    this.#unlisten = signal && onAbort(signal, () => this.#quit(signal.reason));
    // Also without a time-out: a caller waits, so the process must not end.
    holdable.client.timers.set(this, until);
    holdable.client.selfWaits.begin();
  }

  override get keepsAlive(): boolean {
    return true;
  }

  /**
   * The waiter has asked nothing itself: whether its time ended in contention or in an outage is what the head of its line
   * sees. To answer `null` because a hold is in the way is wrong while the head waits for a store that is down, or full.
   */
  override due(now: number): void {
    const { client, subject } = this.#holdable;
    const { timeoutMs } = this.terms;
    const owedSince = this.#line.owedSince();
    const isSilent = owedSince !== undefined && isOwedForLong(now - owedSince, timeoutMs);
    if (isSilent) this.#quit(silentStoreError(client, subject, timeoutMs));
    else {
      const over = owedSince === undefined ? timeoutError : owedTimeoutError;
      this.#quit(this.#line.fullStore?.() ?? over(subject, timeoutMs));
    }
  }

  resolve(grant: Grant | Promise<Grant> | undefined): void {
    this.#end();
    this.#resolve(grant);
  }

  reject(error: unknown): void {
    this.#end();
    this.#reject(error);
  }

  #quit(error: unknown): void {
    this.#line.dropWaiter(this);
    this.reject(error);
  }

  #end(): void {
    this.#unlisten?.();
    this.#holdable.client.timers.drop(this);
  }
}
