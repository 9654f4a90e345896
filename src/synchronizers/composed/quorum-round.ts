import { inTime, NoAnswerError } from '../../core/async/in-time.ts';
import type { Clock } from '../../spi/clock.ts';
import {
  EngineError,
  type ErrorSubject,
  LeaseLostError,
  type MemberAnswer,
  QuorumError,
} from '../../spi/errors.ts';
import { lossError } from '../../core/grants/loss.ts';
import { FencedLockObject } from '../lock/fenced-lock.ts';
import type { GrantHold } from '../hold.ts';
import { releaseQuietly } from '../release-at-end.ts';
import type { LockObject } from '../lock/lock.ts';
import type { UnansweredSteps } from './unanswered-steps.ts';

/** A majority that was taken in one round. */
export interface MajorityGrant {
  readonly holds: readonly GrantHold[];
  readonly members: number;
  /** Undefined if the members cannot prove that it increases. */
  readonly fence: bigint | undefined;
  /** When the first request of the round was sent: what it is good for counts from here. */
  readonly sentAt: number;
}

type MemberOutcome = MemberAnswer & { readonly lock: LockObject; readonly hold?: GrantHold };

/** How long a round may take. */
export interface RoundLimits {
  /** For so long one member is waited for, in each of the two steps. */
  readonly memberTimeoutMs: number;
  /** The end of all steps, by the clock of the first member: infinite for a caller without a time-out. */
  readonly until: number;
}

export function majorityOf(members: number): number {
  return Math.floor(members / 2) + 1;
}

/** One attempt at a majority: all members are asked at once, and everything is given back unless a majority counts. */
export class QuorumRound {
  readonly #members: readonly LockObject[];
  readonly #clock: Clock;
  readonly #subject: ErrorSubject;
  readonly #leaseMs: number;
  readonly #limits: RoundLimits;
  readonly #unanswered: UnansweredSteps;
  readonly #isFenced: boolean;
  readonly #giveUp = new Set<() => void>();
  #granted = 0;
  /** A majority has had its share of the time: the others are not waited for any longer. */
  #isEnough = false;

  constructor(
    members: readonly LockObject[],
    subject: ErrorSubject,
    leaseMs: number,
    limits: RoundLimits,
    unanswered: UnansweredSteps,
  ) {
    this.#members = members;
    this.#clock = members[0]!.client.clock;
    this.#subject = subject;
    this.#leaseMs = leaseMs;
    this.#limits = limits;
    this.#unanswered = unanswered;
    this.#isFenced = members.every((lock) => lock instanceof FencedLockObject);
  }

  /** Null if others hold enough of them that no majority is left for now. */
  async take(longestLeaseMs: number): Promise<MajorityGrant | null> {
    const sentAt = this.#clock.now();
    const asked = await this.#askAll(sentAt);
    const taken = asked.flatMap(({ hold }) => hold ?? []);
    const fence =
      this.#isFenced && taken.length > 0 ? taken.map((hold) => hold.fence).reduce(highest) : undefined;
    const raiseMs = this.#leftMs(this.#clock.now());
    const answers =
      fence === undefined
        ? asked
        : await Promise.all(asked.map((one) => this.#raise(one, fence, longestLeaseMs, raiseMs)));
    const holds = answers.flatMap(({ hold }) => hold ?? []);
    const good = holds.filter((hold) => hold.remainingMs > 0);
    if (good.length >= majorityOf(this.#members.length)) {
      // Members that do not count are given back: nothing else would renew or release them.
      void this.#release(asked.filter(({ hold }) => hold !== undefined && !good.includes(hold)));
      return { holds: good, members: this.#members.length, fence, sentAt };
    }
    await this.#giveBack(asked);
    this.#throwIfHopeless(answers);
    return null;
  }

  /** What is left of the caller's time, and no more than one step may take. */
  #leftMs(now: number): number {
    return Math.max(1, Math.min(this.#limits.memberTimeoutMs, this.#limits.until - now));
  }

  /**
   * A fence has to be written back after the grants, in the same time. One silent member must not use up all of it: once half
   * is over, a majority of grants is enough. The tempting rule, half of the time for each step, takes members for silent whose
   * answers ("busy") come in time.
   */
  async #askAll(sentAt: number): Promise<MemberOutcome[]> {
    const limitMs = this.#leftMs(sentAt);
    const enoughMs = (this.#limits.until - sentAt) / 2;
    const timer =
      this.#isFenced && enoughMs < limitMs
        ? this.#clock.timer(enoughMs, () => {
            this.#isEnough = true;
            this.#leaveOthers();
          })
        : undefined;
    try {
      return await Promise.all(this.#members.map((lock) => this.#ask(lock, sentAt + limitMs)));
    } finally {
      timer?.cancel();
    }
  }

  #leaveOthers(): void {
    if (!this.#isEnough || this.#granted < majorityOf(this.#members.length)) return;
    for (const giveUp of this.#giveUp) giveUp();
  }

  async #ask(lock: LockObject, until: number): Promise<MemberOutcome> {
    const told = { lock, resource: `${lock.kind} ${JSON.stringify(lock.name)}`, engine: lock.engine };
    let asking: Promise<GrantHold | null> | undefined;
    try {
      // The lock answers "busy" by itself while a request of this process is under way, and the member has said nothing at all:
      // the round awaits that request. If the member has answered it and the next request is under way, the member is busy. The
      // tempting alternative awaits until none is under way: of twenty contenders of one quorum lock each then queues behind the
      // others for longer than a member may take, and a store that answered all of them counts as silent.
      for (let sent; (sent = this.#unanswered.of(lock)) !== undefined;) {
        const isAnswered = await this.#inTime(sent, until);
        if (isAnswered && this.#unanswered.of(lock) !== undefined) return { ...told, answer: 'busy' };
      }
      // In the same turn as that look: a contender that looked as well would ask beside this one, and hear "busy" for it.
      asking = lock.tryAcquire({ leaseMs: this.#leaseMs });
      this.#unanswered.remember(lock, asking);
      const hold = await this.#inTime(asking, until);
      if (hold === null) return { ...told, answer: 'busy' };
      this.#granted++;
      this.#leaveOthers();
      return { ...told, answer: 'granted', hold };
    } catch (error) {
      // It may be granted after all, when the caller has gone: given back as soon as it is known.
      if (asking !== undefined) void this.#settleLater(lock, giveBackLate(asking));
      return { ...told, answer: error instanceof NoAnswerError ? 'too-late' : 'failed', error };
    }
  }

  /** Whatever a promise settles to, if it does so before that time and before a majority is enough. */
  async #inTime<T>(step: Promise<T>, until: number): Promise<T> {
    let giveUp: (() => void) | undefined;
    try {
      return await inTime(this.#clock, step, Math.max(0, until - this.#clock.now()), true, (give) => {
        giveUp = give;
        this.#giveUp.add(give);
      });
    } finally {
      if (giveUp !== undefined) this.#giveUp.delete(giveUp);
    }
  }

  /** Gives back what was granted. A store that does not answer is not waited for beyond the caller's time. */
  async #giveBack(asked: readonly MemberOutcome[]): Promise<void> {
    const releases = this.#release(asked);
    const limitMs = Math.min(this.#limits.memberTimeoutMs, this.#limits.until - this.#clock.now());
    if (releases.length === 0 || limitMs <= 0) return;
    await inTime(this.#clock, Promise.all(releases), limitMs).catch(() => undefined);
  }

  #release(asked: readonly MemberOutcome[]): readonly Promise<void>[] {
    return asked.flatMap(({ lock, hold }) =>
      hold === undefined ? [] : this.#settleLater(lock, releaseQuietly(hold)),
    );
  }

  #settleLater(lock: LockObject, step: Promise<void>): Promise<void> {
    lock.client.background(step);
    this.#unanswered.remember(lock, step);
    return step;
  }

  /** A member that has just started may have forgotten a grant that another majority still counts on (soundness 11). */
  async #raise(
    one: MemberOutcome,
    fence: bigint,
    longestLeaseMs: number,
    limitMs: number,
  ): Promise<MemberOutcome> {
    const { lock, hold, ...told } = one;
    if (hold === undefined || !(lock instanceof FencedLockObject)) return one;
    try {
      const raised = await inTime(this.#clock, lock.raiseFence(hold, fence), limitMs);
      if (raised === undefined)
        return { ...told, lock, answer: 'failed', error: lossError(hold.grant.holdable.subject, 'gone') };
      if (raised.upMs < longestLeaseMs) return { ...told, lock, answer: 'too-young' };
      return one;
    } catch (error) {
      return { ...told, lock, answer: error instanceof NoAnswerError ? 'too-late' : 'failed', error };
    }
  }

  #throwIfHopeless(answers: readonly MemberOutcome[]): void {
    const usable = answers.filter(({ answer }) => answer === 'granted' || answer === 'busy').length;
    if (usable >= majorityOf(answers.length)) return;
    const said = answers
      .map(({ resource, engine, answer }) => `${resource} on ${engine}: ${answer}`)
      .join('; ');
    const shown = answers.map(({ lock: _lock, hold: _hold, ...answer }) => answer);
    const mayCount = answers.filter(mayCountLater).length;
    throw new QuorumError(
      `${this.#subject.resource} cannot be acquired: ${majorityOf(answers.length)} of ${answers.length} members must count, and too few do. ${said}.`,
      this.#subject,
      { answers: shown, retryable: mayCount >= majorityOf(answers.length) },
    );
  }
}

/** A member that was closed, or whose store refuses for good, says the same to every later call. */
function mayCountLater({ answer, error }: MemberAnswer): boolean {
  if (answer !== 'failed') return true;
  return error instanceof EngineError ? error.retryable : error instanceof LeaseLostError;
}

/** Rejects as the request does: rounds behind it are to hear that the member failed. */
async function giveBackLate(asking: Promise<GrantHold | null>): Promise<void> {
  const late = await asking;
  if (late !== null) await releaseQuietly(late);
}

function highest(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
