import { inTime, NoAnswerError } from '../../core/async/in-time.ts';
import { type ErrorSubject, type MemberAnswer, QuorumError } from '../../spi/errors.ts';
import { lossError } from '../../core/acquire/loss.ts';
import { FencedLockObject } from '../lock/fenced-lock.ts';
import { type GrantHold, releaseQuietly } from '../hold.ts';
import type { LockObject } from '../lock/lock.ts';
import { releaseAll } from './many-holds.ts';

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

/** What was asked of a member in an earlier round, and is still not answered. */
export type Unanswered = Map<LockObject, Promise<GrantHold | null>>;

export function majorityOf(members: number): number {
  return Math.floor(members / 2) + 1;
}

/** One attempt at a majority: all members are asked at once, and everything is given back unless a majority counts. */
export class QuorumRound {
  readonly #members: readonly LockObject[];
  readonly #subject: ErrorSubject;
  readonly #leaseMs: number;
  readonly #timeoutMs: number;
  readonly #unanswered: Unanswered;

  constructor(
    members: readonly LockObject[],
    subject: ErrorSubject,
    leaseMs: number,
    timeoutMs: number,
    unanswered: Unanswered,
  ) {
    this.#members = members;
    this.#subject = subject;
    this.#leaseMs = leaseMs;
    this.#timeoutMs = timeoutMs;
    this.#unanswered = unanswered;
  }

  /** Null if others hold enough of them that no majority is left for now. */
  async take(longestLeaseMs: number): Promise<MajorityGrant | null> {
    const sentAt = this.#members[0]!.client.clock.now();
    const asked = await Promise.all(this.#members.map((lock) => this.#ask(lock)));
    const taken = asked.flatMap(({ hold }) => hold ?? []);
    const fenced = this.#members.every((lock) => lock instanceof FencedLockObject);
    const fence = fenced && taken.length > 0 ? taken.map((hold) => hold.fence).reduce(highest) : undefined;
    const answers =
      fence === undefined
        ? asked
        : await Promise.all(asked.map((one) => this.#raise(one, fence, longestLeaseMs)));
    const holds = answers.flatMap(({ hold }) => hold ?? []);
    const good = holds.filter((hold) => hold.remainingMs > 0);
    if (good.length >= majorityOf(this.#members.length)) {
      // Members that do not count are given back: nobody would renew or release them.
      const rest = taken.filter((hold) => !good.includes(hold));
      this.#members[0]!.client.background(releaseAll(rest));
      return { holds: good, members: this.#members.length, fence, sentAt };
    }
    await releaseAll(taken);
    this.#throwIfHopeless(answers);
    return null;
  }

  async #ask(lock: LockObject): Promise<MemberOutcome> {
    const told = { lock, resource: `${lock.kind} ${JSON.stringify(lock.name)}`, engine: lock.engine };
    const asking = lock.tryAcquire({ leaseMs: this.#leaseMs });
    try {
      const hold = await inTime(lock.client.clock, asking, this.#timeoutMs);
      if (hold !== null) return { ...told, answer: 'granted', hold };
      // Our own request of an earlier round may be all that is in the way, and then the member has said nothing at all.
      return { ...told, answer: this.#unanswered.has(lock) ? 'too-late' : 'busy' };
    } catch (error) {
      if (error instanceof NoAnswerError) this.#remember(lock, asking);
      // It may be granted after all, when nobody waits for it any more: given back as soon as it is known.
      lock.client.background(asking.then((late) => late && releaseQuietly(late)));
      return { ...told, answer: error instanceof NoAnswerError ? 'too-late' : 'failed', error };
    }
  }

  #remember(lock: LockObject, asking: Promise<GrantHold | null>): void {
    this.#unanswered.set(lock, asking);
    const forget = (): void => {
      if (this.#unanswered.get(lock) === asking) this.#unanswered.delete(lock);
    };
    asking.then(forget, forget);
  }

  /** A member that has just started may have forgotten a grant that another majority still counts on (soundness 11). */
  async #raise(one: MemberOutcome, fence: bigint, longestLeaseMs: number): Promise<MemberOutcome> {
    const { lock, hold, ...told } = one;
    if (hold === undefined || !(lock instanceof FencedLockObject)) return one;
    try {
      const raised = await inTime(lock.client.clock, lock.raiseFence(hold, fence), this.#timeoutMs);
      if (raised === undefined)
        return { ...told, lock, answer: 'failed', error: lossError(hold.grant.holdable.subject, 'gone') };
      if (raised.upMs < longestLeaseMs) return { ...told, lock, answer: 'too-young' };
      return one;
    } catch (error) {
      return { ...told, lock, answer: 'failed', error };
    }
  }

  #throwIfHopeless(answers: readonly MemberOutcome[]): void {
    const usable = answers.filter(({ answer }) => answer === 'granted' || answer === 'busy').length;
    if (usable >= majorityOf(answers.length)) return;
    const said = answers
      .map(({ resource, engine, answer }) => `${resource} on ${engine}: ${answer}`)
      .join('; ');
    const shown = answers.map(({ lock: _lock, hold: _hold, ...answer }) => answer);
    throw new QuorumError(
      `${this.#subject.resource} cannot be acquired: ${majorityOf(answers.length)} of ${answers.length} members must count, and too few do. ${said}.`,
      this.#subject,
      shown,
    );
  }
}

function highest(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
