import { checkLeaseMs } from '../core/arguments.ts';
import { abortInTurn } from '../core/async/abort-in-turn.ts';
import { logAs } from '../core/log-as.ts';
import { extendGrant } from '../core/grants/extend-grant.ts';
import type { Gate } from '../core/queues/gate.ts';
import type { Grant } from '../core/grants/grant.ts';
import { tellReleased } from '../core/grants/grant-events.ts';
import { keepHolder } from '../core/grants/weak-holder.ts';
import type { Scope } from '../core/reentry/scope.ts';
import { type StackedHold, HoldStack } from '../core/reentry/hold-stack.ts';
import { LeaseLostError, NotHeldError } from '../spi/errors.ts';
import { asPromise, isPending, mapAnswer, type MaybeAsync } from '../spi/maybe-async.ts';
import type { Hold } from '../spi/synchronizers.ts';
import type { Granted, Released } from '../spi/verbs/holding.ts';
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
  /** Made when the signal is first read. A field of its own for the fence would make each hold larger. */
  #lost: AbortController | 'fence-read' | undefined;

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
   * A hold whose signal was read is never taken for forgotten: a listener, or a signal that `AbortSignal.any` made of it, needs
   * the hold and does not keep it alive. Nor is one whose fence was read: `const { fence } = await lock.acquire()` is all that a
   * guarded write needs, and what `forceRelease({ fence })` ends. Nor is one whose `run` has not ended: the code of a `run` that awaits what never
   * settles is not reachable either, and holds the lock on purpose.
   */
  get gateIfForgotten(): Gate | undefined {
    return this.#lost === undefined && this.scope?.open !== true ? this.#gate : undefined;
  }

  get fence(): bigint {
    if (this.#lost === undefined) {
      this.#lost = 'fence-read';
      this.#keepAlive();
    }
    return this.shownFence;
  }

  /** For logs and traces: to show a fence is no use of the hold, and lets it be found when it is forgotten. */
  get shownFence(): bigint {
    this.#look();
    return BigInt(this.grant.fenceAt(this.#fencePlace));
  }

  get lost(): AbortSignal {
    this.#look();
    if (this.#lost instanceof AbortController) return this.#lost.signal;
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

  /** The same for the library itself: without a promise where the store answers at once. Throws what `release` rejects with. */
  endNow(): MaybeAsync<void> {
    if (this.released) return undefined;
    const { grant } = this;
    this.#end = grant.untimelyEnd ?? 'released';
    const last = this.#holdStack?.leave(this) ?? true;
    if (grant.loss !== undefined) throw grant.loss;
    if (!last || !grant.open) return undefined;
    const { client } = grant.holdable;
    const since = client.events.release.wanted ? grant.heldAt : undefined;
    const left = this.#gate.leave(grant);
    if (isPending(left)) return mapAnswer(left, (answer) => this.#settleRelease(since, answer));
    this.#settleRelease(since, left);
  }

  /**
   * Unlike `release` it does not reject: an error here would hide the one that ended the block. A loss is reported by `lost`
   * and the event of that name, and by a warning of the process if nothing reads either; a store that cannot be reached
   * by the event `trouble`.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.released) return;
    await releaseQuietly(this);
    if (this.#lost instanceof AbortController || this.grant.holdable.client.events.lost.wanted) return;
    // To close an engine object is a decision of the program, which needs no warning of it.
    if (this.#end instanceof LeaseLostError && this.#end.reason !== 'closed') warnOfLoss(this.#end);
  }

  lose(error: LeaseLostError): void {
    if (this.#lost instanceof AbortController) abortInTurn(this.#lost, error);
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
  #settleRelease(since: number | undefined, left: Released | undefined): void {
    const { grant } = this;
    if (left?.kind === 'not-held') {
      const error = grant.loseAtRelease();
      this.#end = error;
      this.lose(error);
      throw error;
    }
    if (since !== undefined) tellReleased(grant, since);
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
  const { state, shownFence, remainingMs } = hold;
  return {
    kind,
    name,
    engine: client.label,
    fence: String(shownFence),
    state,
    remainingMs: Math.round(remainingMs),
  };
});

/** Releases when an earlier error, or a result, must win over what becomes of the release. */
export async function releaseQuietly(hold: GrantHold): Promise<void> {
  try {
    await hold.release();
  } catch (error) {
    const { client, kind, name } = hold.grant.holdable;
    if (error !== hold.grant.loss) client.events.trouble.emit({ kind, name, engine: client.label, error });
  }
}
