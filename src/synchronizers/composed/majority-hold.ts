import type { AcquireTerms } from '../../core/acquire/acquire-terms.ts';
import { renewalIntervalMs } from '../../core/grants/renewal-interval.ts';
import { abortInTurn } from '../../core/async/abort-in-turn.ts';
import { onAbort } from '../../core/async/aborts.ts';
import { enoughSucceed } from '../../core/async/enough-succeed.ts';
import { logAs } from '../../core/log-as.ts';
import { TimerTask } from '../../core/time/timer-queue.ts';
import { checkLeaseMs } from '../../core/arguments.ts';
import type { Client } from '../../core/client.ts';
import { safetyMarginMs } from '../../core/time/safety-margin.ts';
import { EngineError, type ErrorSubject, LeaseLostError, NotHeldError } from '../../spi/errors.ts';
import type { Clock } from '../../spi/clock.ts';
import type { Hold } from '../../spi/synchronizers.ts';
import type { GrantHold } from '../hold.ts';
import { releaseAll } from './many-holds.ts';
import { type MajorityGrant, majorityOf } from './quorum-round.ts';
import { warnOfLoss } from '../warn-of-loss.ts';

/**
 * A hold on a majority. Its deadline moves only when one round of renewals reaches a majority, and then counts from the
 * first request of that round: adding up members that were renewed at different times would believe in a majority that
 * never stood at one time (soundness 11).
 */
export class MajorityHold extends TimerTask implements Omit<Hold, 'fence'> {
  readonly #clock: Clock;
  /** The member in whose timer queue this hold stands. */
  #timerClient: Client;
  readonly #subject: ErrorSubject;
  readonly #holds: readonly GrantHold[];
  readonly #majority: number;
  readonly #leaseMs: number;
  readonly #renewed: boolean;
  readonly #checkLease: (ms: number) => void;
  #deadline: number;
  readonly #unlisten: (() => void)[] = [];
  #released = false;
  #loss: LeaseLostError | undefined;
  #lost: AbortController | undefined;

  constructor(
    client: Client,
    subject: ErrorSubject,
    grant: MajorityGrant,
    terms: AcquireTerms,
    checkLease: (ms: number) => void,
  ) {
    super();
    this.#clock = client.clock;
    this.#subject = subject;
    this.#holds = grant.holds;
    this.#timerClient = this.#openClient() ?? client;
    this.#majority = majorityOf(grant.members);
    this.#leaseMs = terms.leaseMs;
    this.#checkLease = checkLease;
    this.#renewed = terms.renewed;
    this.#deadline = grant.sentAt + terms.leaseMs - safetyMarginMs(terms.leaseMs);
    for (const hold of this.#holds) {
      hold.grant.holdable.client.whenClosed.add(this.#memberLost);
      this.#unlisten.push(onAbort(hold.lost, this.#memberLost));
    }
    if (this.#loss === undefined) this.#plan();
  }

  override get keepsAlive(): boolean {
    return false;
  }

  get lost(): AbortSignal {
    this.#look();
    this.#lost ??= new AbortController();
    if (this.#loss !== undefined) abortInTurn(this.#lost, this.#loss);
    return this.#lost.signal;
  }

  get remainingMs(): number {
    return this.#look();
  }

  get state(): 'held' | 'lost' | 'released' {
    const isGood = this.#look() > 0;
    if (this.#loss !== undefined) return 'lost';
    return isGood && !this.#released ? 'held' : 'released';
  }

  get holds(): readonly GrantHold[] {
    return this.#holds;
  }

  throwIfLost(): void {
    this.#look();
    if (this.#released) {
      throw new NotHeldError(
        `${this.#subject.resource} was released before it was used. Acquire it again.`,
        this.#subject,
      );
    }
    if (this.#loss !== undefined) throw this.#loss;
  }

  async extend(ms: number): Promise<void> {
    checkLeaseMs(ms, 'extend', this.#subject);
    this.#checkLease(ms);
    this.throwIfLost();
    const extended = await this.#renewRound(ms);
    if (this.#loss !== undefined) throw this.#loss;
    // One round that failed is no loss: the deadline stands where it stood.
    if (!extended) throw notExtended(this.#subject);
  }

  async release(): Promise<void> {
    if (this.#released) return;
    this.#look();
    this.#released = true;
    this.#end();
    await releaseAll(this.#holds);
    // The release may be the first to find that a majority was gone.
    const stood = this.#holds.filter((hold) => !hold.lost.aborted).length;
    if (stood < this.#majority) this.#fail('gone');
    if (this.#loss !== undefined) throw this.#loss;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#released) return;
    await this.release().catch(() => undefined);
    const isHeard = this.#lost !== undefined || this.#holds.some(isListenedTo);
    if (this.#loss !== undefined && !isHeard) warnOfLoss(this.#loss);
  }

  override due(now: number): void {
    if (this.#released || this.#loss !== undefined) return;
    if (now >= this.#deadline) this.#lose('expired');
    else void this.#renew();
  }

  /**
   * A member's store has said that its hold is gone, or its client was closed and gave it back. Without a majority nothing
   * is held any more, whatever the deadline of the last good round: another client may have been granted those members.
   */
  readonly #memberLost = (): void => {
    if (this.#holds.filter((hold) => hold.grant.open).length < this.#majority) this.#lose('gone');
    else if (this.#timerClient.closed) this.#moveTimer();
  };

  /**
   * The member that closes clears its timers right after it has told this hold, and a hold that stood there would be renewed no
   * more while the majority of the others stands.
   */
  #moveTimer(): void {
    const { at } = this;
    this.#timerClient.timers.drop(this);
    this.#timerClient = this.#openClient() ?? this.#timerClient;
    this.#timerClient.timers.set(this, at);
  }

  #openClient(): Client | undefined {
    return this.#holds.map(({ grant }) => grant.holdable.client).find(({ closed }) => !closed);
  }

  #end(): void {
    this.#timerClient.timers.drop(this);
    for (const { grant } of this.#holds) grant.holdable.client.whenClosed.delete(this.#memberLost);
    for (const unlisten of this.#unlisten) unlisten();
  }

  #look(): number {
    if (this.#released || this.#loss !== undefined) return 0;
    const remaining = this.#deadline - this.#clock.now();
    if (remaining > 0) return remaining;
    this.#lose('expired');
    return 0;
  }

  #plan(): void {
    const nextMs = this.#renewed ? renewalIntervalMs(this.#leaseMs) : Infinity;
    this.#timerClient.timers.set(this, Math.min(this.#clock.now() + nextMs, this.#deadline));
  }

  async #renew(): Promise<void> {
    this.#timerClient.timers.set(this, this.#deadline);
    await this.#renewRound(this.#leaseMs);
    if (!this.#released && this.#loss === undefined) this.#plan();
  }

  /** Whether one round reached a majority. */
  async #renewRound(ms: number): Promise<boolean> {
    const sentAt = this.#clock.now();
    const renewed = await enoughSucceed(
      this.#holds.map((hold) => hold.extend(ms)),
      this.#majority,
    );
    if (renewed) this.#deadline = Math.max(this.#deadline, sentAt + ms - safetyMarginMs(ms));
    return renewed;
  }

  #lose(reason: 'expired' | 'gone'): void {
    if (this.#released || this.#loss !== undefined) return;
    this.#end();
    this.#fail(reason);
  }

  #fail(reason: 'expired' | 'gone'): void {
    if (this.#loss !== undefined) return;
    this.#loss = new LeaseLostError(
      `${this.#subject.resource} was lost: ${CAUSES[reason]}. Stop, or let the fence decide.`,
      this.#subject,
      reason,
    );
    if (this.#lost !== undefined) abortInTurn(this.#lost, this.#loss);
  }
}

const CAUSES = {
  expired: 'a majority could not be renewed in time',
  gone: 'a majority of its members no longer has it',
} as const;

function isListenedTo({ grant }: GrantHold): boolean {
  return grant.holdable.client.events.lost.wanted;
}

function notExtended(subject: ErrorSubject): EngineError {
  return new EngineError(
    `${subject.resource} could not be extended: no majority of its members agreed. It is held as long as before; try again.`,
    subject,
    { retryable: true },
  );
}

/** A hold on a majority with a fence that is proven to increase. */
export class FencedMajorityHold extends MajorityHold implements Hold {
  readonly #fence: bigint;

  constructor(fence: bigint, ...held: ConstructorParameters<typeof MajorityHold>) {
    super(...held);
    this.#fence = fence;
  }

  get fence(): bigint {
    void this.remainingMs;
    return this.#fence;
  }
}

logAs(MajorityHold, 'QuorumHold', (hold) => ({
  kind: 'quorumLock',
  ...(hold instanceof FencedMajorityHold && { fence: String(hold.fence) }),
  state: hold.state,
  remainingMs: Math.round(hold.remainingMs),
  holds: hold.holds,
}));
