import { checkLeaseMs } from '../core/arguments.ts';
import { abortInTurn } from '../core/async/abort-in-turn.ts';
import { logAs } from '../core/log-as.ts';
import { extendGrant } from '../core/grants/extend-grant.ts';
import type { Gate } from '../core/queues/gate.ts';
import type { Grant } from '../core/grants/grant.ts';
import { HoldEnd } from '../core/grants/hold-end.ts';
import { keepHolder } from '../core/grants/weak-holder.ts';
import type { Scope } from '../core/reentry/scope.ts';
import { type StackedHold, HoldStack } from '../core/reentry/hold-stack.ts';
import { LeaseLostError, NotHeldError } from '../spi/errors.ts';
import { asPromise, isPending, mapAnswer, type MaybeAsync, type Pending } from '../spi/maybe-async.ts';
import type { Hold } from '../spi/synchronizers.ts';
import type { Granted, Released } from '../spi/verbs/holding.ts';
import { releaseQuietly } from './release-at-end.ts';
import { warnOfLoss } from './warn-of-loss.ts';

/** What a release that needed no waiting returns: one promise for all of them. */
const DONE: Promise<void> = Promise.resolve();

/** A hold on whatever was granted. Nothing is made before it is asked for: most holds never show their signal. */
export class GrantHold<G extends Granted = Granted> implements Hold, StackedHold {
  scope: Scope | undefined;
  readonly grant: Grant<G>;
  readonly #gate: Gate<G>;
  /** Which fence of the grant is this one's. */
  readonly #fencePlace: number;
  #holdStack: HoldStack<G> | undefined;
  /** How it ended: given back, or lost before that. Other holds of the grant may have ended in another way. */
  #end: 'released' | LeaseLostError | undefined;
  /** Made when the signal is first read. */
  #lost: AbortController | undefined;

  /** The outermost hold of a grant, or one that re-enters a hold stack. */
  constructor(grant: Grant<G>, gate: Gate<G>, fencePlace: number, holdStack?: HoldStack<G>) {
    this.grant = grant;
    this.#gate = gate;
    this.#fencePlace = fencePlace;
    this.#holdStack = holdStack;
    if (holdStack === undefined) grant.lossListener = this;
    else holdStack.enter(this);
  }

  /** Made when an owner could re-enter; most holds come and go alone. */
  get holdStack(): HoldStack<G> {
    return (this.#holdStack ??= new HoldStack(this.grant, this.released ? undefined : this));
  }

  noteScopeClosed(): void {
    this.#holdStack?.noteScopeClosed(this);
  }

  /** Whether its owner has the thing by another hold as well, and had it before. */
  get isInner(): boolean {
    return this.#holdStack !== undefined && this.#holdStack.depth > 1;
  }

  /** A hold of the same owner inside this one. */
  reenter(gate: Gate<G>): GrantHold<G> {
    return new GrantHold(this.grant, gate, this.#fencePlace, this.holdStack);
  }

  /**
   * What `acquire` returns if it need not wait. `Promise.resolve(hold)` over there says the same, but first looks for a
   * `then` in the hold and all above it; here the shape is known, and that there is none.
   */
  asPromise(): Promise<this> {
    return Promise.resolve(this);
  }

  get released(): boolean {
    return this.#end !== undefined;
  }

  /**
   * A hold whose signal was read is kept alive, and so never taken for forgotten: a listener, or a signal that `AbortSignal.any` made
   * of it, needs the hold and does not keep it alive. So is one whose `run` has not ended: the code of a `run` that awaits what never
   * settles is not reachable either, and holds the lock on purpose.
   *
   * It is tempting to keep one whose fence was read as well: the program may go on writing with that number. But a program that guards
   * its writes and forgets the release, in a branch that returns early, has read the fence first, and no leak of it would be found; what it still writes
   * after the release has the lower fence.
   */
  get gateIfForgotten(): Gate | undefined {
    return this.#lost === undefined && this.scope?.open !== true ? this.#gate : undefined;
  }

  get fence(): bigint {
    this.#look();
    return BigInt(this.grant.fenceAt(this.#fencePlace));
  }

  get lost(): AbortSignal {
    this.#look();
    if (this.#lost !== undefined) return this.#lost.signal;
    const lost = (this.#lost = new AbortController());
    this.#keepAlive();
    const end = this.#end ?? this.grant.untimelyEnd;
    if (end instanceof LeaseLostError) abortInTurn(lost, end);
    return lost.signal;
  }

  get remainingMs(): number {
    return this.#look();
  }

  throwIfLost(): void {
    this.#look();
    if (!this.released && this.grant.loss !== undefined) {
      // A thrown loss is a reported one: the disposal that follows has nothing to warn of.
      void this.lost;
      throw this.grant.loss;
    }
    // Also when the engine object was closed, which has given it back.
    if (this.released || !this.grant.open) throw this.#notHeld();
  }

  async extend(ms: number): Promise<void> {
    const { grant } = this;
    checkLeaseMs(ms, 'extend', grant.holdable.subject);
    this.throwIfLost();
    await extendGrant(grant, ms);
    if (!grant.open) throw this.#notHeld();
  }

  release(): Promise<void> {
    try {
      const ended = this.endNow();
      return isPending(ended) ? asPromise(ended) : DONE;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** `release` for the library itself: without a promise where the store answers at once. Throws what `release` rejects with. */
  endNow(): MaybeAsync<void> {
    if (this.released) return undefined;
    const { grant } = this;
    this.#end = grant.untimelyEnd ?? 'released';
    const last = this.#holdStack?.leave(this) ?? true;
    if (grant.loss !== undefined) throw grant.loss;
    if (!last || !grant.open) return undefined;
    const end = HoldEnd.of(grant);
    if (end !== undefined) return this.#leaveAndTell(end);
    const left = this.#gate.leave(grant);
    return isPending(left) ? this.#settleLater(left) : this.#settleRelease(left);
  }

  /**
   * Unlike `release` it does not reject: an error here would hide the one that ended the block. A loss is reported by `lost`
   * and the event of that name, and by a warning of the process if nothing reads either; a store that cannot be reached
   * by the event `trouble`.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.released) return;
    await releaseQuietly(this);
    if (this.#lost !== undefined || this.grant.holdable.client.events.lost.wanted) return;
    // To close an engine object is a decision of the program, which needs no warning of it.
    if (this.#end instanceof LeaseLostError && this.#end.reason !== 'closed') warnOfLoss(this.#end);
  }

  /**
   * Calls the section of a `run`, by way of those that trace the hold. A hold that re-enters calls it as it is: it would replace
   * what its caller has set up since the outer hold began, such as an active span.
   */
  callSection<T>(section: (hold: this) => T): T {
    const { trace } = this.grant;
    return trace === undefined || this.isInner ? section(this) : trace.callSection(() => section(this));
  }

  lose(error: LeaseLostError): void {
    if (this.#lost !== undefined) abortInTurn(this.#lost, error);
  }

  /** How it ended, or that it has not. */
  get state(): 'held' | 'lost' | 'released' {
    const isGood = this.#look() > 0;
    const end = this.#end ?? this.grant.untimelyEnd;
    if (end instanceof LeaseLostError) return 'lost';
    return isGood && end === undefined ? 'held' : 'released';
  }

  /**
   * Given back, handed on (undefined), or gone: released by force since the last renewal, or expired while no timer ran.
   * Nothing but this release has noticed, and it tells the signal too: code that only looks at `lost` would take work
   * that was not alone for a success.
   */
  #settleRelease(left: Released | undefined): void {
    const { grant } = this;
    if (left?.kind === 'not-held') {
      const error = grant.loseAtRelease();
      this.#end = error;
      this.lose(error);
      throw error;
    }
  }

  /** Apart from `endNow`, or the function would be paid for by every release that is answered at once. */
  #settleLater(left: Pending<Released | undefined>): MaybeAsync<void> {
    return mapAnswer(left, (answer) => this.#settleRelease(answer));
  }

  async #leaveAndTell(end: HoldEnd): Promise<void> {
    try {
      const left = this.#gate.leave(this.grant);
      this.#settleRelease(isPending(left) ? await left : left);
    } catch (error) {
      end.tellFailed(error);
      throw error;
    }
    end.tellReleased();
  }

  #keepAlive(): void {
    if (!this.released) keepHolder(this.grant, this.#holdStack ?? this);
  }

  #look(): number {
    return this.released ? 0 : this.grant.remainingMs();
  }

  #notHeld(): NotHeldError {
    const { subject } = this.grant.holdable;
    const what =
      this.grant.untimelyEnd?.reason === 'closed'
        ? 'is no longer held: its engine object was closed. Open a new one, and acquire it again.'
        : 'was released before it was used. Acquire it again.';
    return new NotHeldError(`${subject.resource} ${what}`, subject);
  }
}

/** What a log needs of a hold. JSON has no large numbers, so the fence is text. */
logAs(GrantHold, 'Hold', (hold) => {
  const { client, kind, name } = hold.grant.holdable;
  const { state, fence, remainingMs } = hold;
  return {
    kind,
    name,
    engine: client.label,
    fence: String(fence),
    state,
    remainingMs: Math.round(remainingMs),
  };
});
