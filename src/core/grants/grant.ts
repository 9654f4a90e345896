import type { LeaseLostError, LossReason } from '../../spi/errors.ts';
import { type MaybeAsync, isPending, type Pending, mapAnswer } from '../../spi/maybe-async.ts';
import type { OwnerId } from '../../spi/rule.ts';
import type { Granted, Released } from '../../spi/verbs/holding.ts';
import type { TimerTask } from '../time/timer-queue.ts';
import { believedMs, safetyMarginMs } from '../time/safety-margin.ts';
import { giveBack } from './give-back.ts';
import { grantEvent } from './grant-events.ts';
import { type LossListener, lossError } from './loss.ts';
import { minHoldOf } from './min-hold.ts';
import { RenewalRequests } from './renewal-requests.ts';
import type { Holdable } from '../acquire/holdable.ts';

/**
 * What the store gave to one wire owner: a lease, a deadline and a block of fences. It may pass from one local holder to the
 * next (soundness 13); deadline, renewal and loss belong to the grant, and its present holder hears of it.
 */
export class Grant<G extends Granted = Granted> implements TimerTask {
  // Its slot in the timer queue. Not inherited: one more constructor call was 5 % of an uncontended pair (decision 11).
  at!: number;
  slot = -1;
  readonly holdable: Holdable<G>;
  readonly owner: OwnerId;
  readonly answer: G;
  readonly grantedAt: number;
  readonly leaseMs: number;
  /** Renewed by the keeper, or left to end by itself. */
  renewed: boolean;
  /** Set with the first renewal or extension, or for a hold that is to last. */
  requests: RenewalRequests | undefined;
  /** How often it must be looked after because another program cuts its time in the store; undefined for as usual. */
  paceMs: number | undefined;
  handOvers = 0;
  lossListener: LossListener | undefined;
  /** Also hears of a loss, so that its waiters go to the store. */
  gate: { hearLoss(grant: Grant<G>): void } | undefined;
  /** Its neighbours in `UnrenewedGrants`. */
  before: Grant | undefined;
  after: Grant | undefined;
  fresh = false;
  // Numbers that most grants never need are not made for them: each would be an object of its own.
  #deadline: number | undefined;
  #handedOffAt: number | undefined;
  #handedAt: number | undefined;
  /** How many of its fences were given out. */
  fencesTaken = 0;
  #loss: LeaseLostError | undefined;
  #closure: LeaseLostError | undefined;
  #ended = false;

  constructor(
    holdable: Holdable<G>,
    owner: OwnerId,
    answer: G,
    sentAt: number,
    leaseMs: number,
    renewed: boolean,
  ) {
    this.holdable = holdable;
    this.owner = owner;
    this.answer = answer;
    this.grantedAt = sentAt;
    this.leaseMs = leaseMs;
    this.renewed = renewed;
  }

  /** By the client's clock, counted from before the last successful call was sent. After it the grant is not believed. */
  get deadline(): number {
    return this.#deadline ?? this.grantedAt + believedMs(this.answer.remainingMs, this.leaseMs);
  }

  /** Since when its present holder has it: its lease may count from before. */
  get heldAt(): number {
    return this.#handedAt ?? this.#handedOffAt ?? this.grantedAt;
  }

  /** Marks a grant that the releasing client handed off to this one: its lease began with an earlier request. */
  noteHandOff(now: number): void {
    this.#handedOffAt = now;
  }

  noteHandOver(now: number): void {
    this.handOvers++;
    this.#handedAt = now;
    // Until the next owner has taken it up, a loss is not reported: the owner that leaves has done its part.
    this.lossListener = undefined;
  }

  get keepsAlive(): boolean {
    return false;
  }

  get loss(): LeaseLostError | undefined {
    return this.#loss;
  }

  /** Why it ended before it was released, if it did. */
  get untimelyEnd(): LeaseLostError | undefined {
    return this.#loss ?? this.#closure;
  }

  /** Neither released nor lost. */
  get open(): boolean {
    return !this.#ended && this.#loss === undefined;
  }

  get staysAfterClose(): boolean {
    return this.holdable.traits.survivesClose && !this.renewed;
  }

  get fencesLeft(): number {
    return this.answer.fences - this.fencesTaken;
  }

  /** Which of its fences is next; see {@link fenceAt}. */
  takeFence(): number {
    return this.fencesTaken++;
  }

  fenceAt(place: number): number {
    return this.answer.fence + place;
  }

  /** Looks at the clock: a timer may be late, the deadline is not (soundness 6). */
  remainingMs(): number {
    if (!this.open) return 0;
    const remaining = this.goodUntil - this.holdable.client.clock.now();
    if (remaining > 0) return remaining;
    this.loseByTime();
    return 0;
  }

  /** Its own deadline or that of the client's session, whichever comes first. */
  get goodUntil(): number {
    return Math.min(this.deadline, this.holdable.client.sessionDeadline);
  }

  /** Notes a request to keep the grant for so long. Answers its number. */
  noteRequest(ms: number): number {
    return (this.requests ??= new RenewalRequests()).ask(ms);
  }

  /** The last renewal is under way, or has failed and is to be repeated. */
  get isBeingRenewed(): boolean {
    return this.requests?.isLastUnderWay === true;
  }

  /** What the store has promised to keep it for from `now` on. */
  promisedMs(now: number): number {
    const goodMs = this.deadline - now;
    return goodMs + safetyMarginMs(Math.max(this.leaseMs, goodMs));
  }

  /** How long the store may keep it, at most, if it is not released. */
  get longestMs(): number {
    return Math.max(this.leaseMs, this.requests?.longestMs ?? 0);
  }

  /** The store confirmed that so much remained when this request, sent at `sentAt`, was decided. Never moves back. */
  confirm(request: number, sentAt: number, remainingMs: number, leaseMs: number): void {
    this.requests?.confirm(request);
    const goodMs = believedMs(remainingMs, Math.max(leaseMs, this.leaseMs));
    this.#deadline = Math.max(this.deadline, sentAt + goodMs);
  }

  due(now: number): void {
    if (!this.open) return;
    if (now >= this.goodUntil) this.loseByTime();
    else this.holdable.client.keeper.renew(this);
  }

  /** Its deadline has passed, or that of the session. */
  loseByTime(): void {
    this.lose(this.deadline <= this.holdable.client.sessionDeadline ? 'expired' : 'session-ended');
  }

  lose(reason: LossReason): void {
    if (!this.open) return;
    const { client } = this.holdable;
    this.#loss = lossError(this.holdable.subject, reason);
    client.keeper.drop(this);
    // The store may still believe in a renewal whose reply never came: give it back once the margin is over, not
    // before, because the margin is the holder's time to stop.
    const mayStay = this.requests?.unsettled === true || this.holdable.traits.clientEndsLeases;
    if (reason === 'expired' && mayStay)
      client.background(client.sleep(safetyMarginMs(this.longestMs)).then(() => this.giveBack()));
    if (client.events.lost.wanted) client.events.lost.emit({ ...grantEvent(this), error: this.#loss });
    this.lossListener?.lose(this.#loss);
    this.gate?.hearLoss(this);
  }

  throwIfLost(): void {
    this.remainingMs();
    if (this.#loss !== undefined) throw this.#loss;
  }

  /** Another step of the store has ended it: no longer renewed, and nothing to give back. */
  end(): void {
    this.#ended = true;
    this.holdable.client.keeper.drop(this);
  }

  /** Gives it back to the store. If the store cannot be reached, goes on trying in the background until the lease ends. */
  release(): MaybeAsync<Released> {
    this.end();
    const released = this.holdable.release(this.owner, minHoldOf(this));
    // Apart from what follows, or the functions that wait for an answer would be paid for where there is none.
    return isPending(released) ? this.#whenReleased(released) : released;
  }

  #whenReleased(released: Pending<Released>): MaybeAsync<Released> {
    const { client } = this.holdable;
    // Closing waits for it: the session must not end before the release has arrived.
    client.beginCall();
    return mapAnswer(
      released,
      (answer) => {
        client.endCall();
        return answer;
      },
      (error) => {
        this.giveBack();
        client.endCall();
        throw error;
      },
    );
  }

  /** In the background, until the store has answered or can no longer have it: for when a release is not enough. */
  giveBack(): void {
    this.holdable.client.background(giveBack(this.holdable, this.owner, this.longestMs, minHoldOf(this)));
  }

  /** Tells its holder that it is no longer held: the engine object was closed. */
  tellClosed(): void {
    this.#closure = lossError(this.holdable.subject, 'closed');
    this.lossListener?.lose(this.#closure);
  }

  /** The store no longer had it when it was to be given back: a loss that nothing had noticed until then. */
  loseAtRelease(): LeaseLostError {
    const error = lossError(this.holdable.subject, 'gone');
    const { client } = this.holdable;
    this.#loss = error;
    if (client.events.lost.wanted) client.events.lost.emit({ ...grantEvent(this), error });
    this.lossListener?.lose(error);
    return error;
  }
}
