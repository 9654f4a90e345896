import type { AcquireTerms } from '../../core/acquire/acquire-terms.ts';
import { checkFunction, checkLeaseMs, checkOptions, readTerms } from '../../core/arguments.ts';
import { logAs } from '../../core/log-as.ts';
import { isOwedForLong } from '../../core/acquire/contact.ts';
import { timeoutError } from '../../core/failures/timeout-error.ts';
import { argumentRangeError, type ErrorSubject, LeaseLostError, QuorumError } from '../../spi/errors.ts';
import type {
  Hold,
  HoldOptions,
  Lock,
  QuorumHold,
  QuorumLock,
  QuorumOptions,
} from '../../spi/synchronizers.ts';
import type { LockObject } from '../lock/lock.ts';
import { runSection } from '../run-section.ts';
import { checkMembers, composedSubject } from './members.ts';
import { FencedMajorityHold, MajorityHold } from './majority-hold.ts';
import { type MajorityGrant, majorityOf, QuorumRound } from './quorum-round.ts';
import { UnansweredSteps } from './unanswered-steps.ts';

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 250;

class QuorumLockObject implements QuorumLock<Omit<Hold, 'fence'>> {
  readonly locks: readonly Lock[];
  readonly #members: readonly LockObject[];
  readonly #subject: ErrorSubject;
  readonly #memberTimeoutMs: number;
  readonly #longestLeaseMs: number;
  readonly #unanswered = new UnansweredSteps();

  constructor(members: readonly LockObject[], options: QuorumOptions | undefined) {
    const subject = composedSubject('quorumLock', members);
    checkOptions(options, ['memberTimeoutMs', 'longestLeaseMs'], subject);
    this.locks = members;
    this.#members = members;
    this.#subject = subject;
    const usualLeaseMs = Math.max(...members.map((lock) => lock.client.renewalLeaseMs));
    this.#memberTimeoutMs = checkLeaseMs(
      options?.memberTimeoutMs ?? usualLeaseMs / 10,
      'memberTimeoutMs',
      subject,
    );
    this.#longestLeaseMs = checkLeaseMs(options?.longestLeaseMs ?? usualLeaseMs, 'longestLeaseMs', subject);
  }

  async acquire(options?: HoldOptions): Promise<MajorityHold> {
    const terms = this.#terms(options, false);
    const hold = await this.#runRounds(terms);
    if (hold === null) throw timeoutError(this.#subject, terms.timeoutMs);
    return hold;
  }

  async tryAcquire(options?: HoldOptions): Promise<MajorityHold | null> {
    return this.#runRounds(this.#terms(options, true));
  }

  async run<T>(fn: (hold: MajorityHold) => T | PromiseLike<T>, options?: HoldOptions): Promise<T> {
    checkFunction(fn, this.#subject);
    return runSection(this.acquire(options), fn, {
      abandon: (hold) => hold[Symbol.asyncDispose](),
      finish: (hold) =>
        hold.release().catch((error: unknown) => {
          if (error instanceof LeaseLostError) throw error;
        }),
    });
  }

  #terms(options: HoldOptions | undefined, single: boolean): AcquireTerms {
    checkOptions(options, ['timeoutMs', 'leaseMs', 'signal'], this.#subject);
    const terms = readTerms(options, single, this.#members[0]!.client, this.#subject);
    terms.signal?.throwIfAborted();
    this.#checkLease(terms.leaseMs);
    return terms;
  }

  /** A member counts once it is older than the longest lease: a longer one could be forgotten by a majority. */
  #checkLease(leaseMs: number): void {
    if (leaseMs <= this.#longestLeaseMs) return;
    throw argumentRangeError(
      `${this.#subject.resource}: a lease of ${leaseMs} ms is longer than longestLeaseMs, ${this.#longestLeaseMs}. Give quorumLock the longest lease that any client uses.`,
      this.#subject,
    );
  }

  /**
   * Contention is answered by another round, failure of so many that no majority is left by an error.
   *
   * Members that are only late get one more round, for twice `memberTimeoutMs` in all, as a single store gets twice its
   * `commandTimeoutMs`. The tempting alternative, an error after the first such round, ends a wait of an hour because the
   * machine stood still for a moment.
   */
  async #runRounds(terms: AcquireTerms): Promise<MajorityHold | null> {
    const { client } = this.#members[0]!;
    let wasAnswered = false;
    let silentSince = client.clock.now();
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const leftMs = terms.until - client.clock.now();
      const limits = { memberTimeoutMs: this.#memberTimeoutMs, until: terms.until };
      const round = new QuorumRound(this.#members, this.#subject, terms.leaseMs, limits, this.#unanswered);
      let grant: MajorityGrant | null;
      try {
        grant = await round.take(this.#longestLeaseMs);
      } catch (error) {
        // Enough members answered before: that they did not in the moment that was left is contention, and no outage.
        const isCut = leftMs < this.#memberTimeoutMs;
        const isByChance = isCut && wasAnswered && !isOwedForLong(leftMs, terms.timeoutMs);
        if (isByChance && error instanceof QuorumError) return null;
        const isSilent = client.clock.now() - silentSince >= 2 * this.#memberTimeoutMs;
        if (terms.once || isCut || isSilent || !isOnlyLate(error)) throw error;
        terms.signal?.throwIfAborted();
        client.throwIfClosed(this.#subject);
        continue;
      }
      wasAnswered = true;
      silentSince = client.clock.now();
      if (grant !== null) {
        const held = [client, this.#subject, grant, terms, (ms: number) => this.#checkLease(ms)] as const;
        return grant.fence === undefined
          ? new MajorityHold(...held)
          : new FencedMajorityHold(grant.fence, ...held);
      }
      terms.signal?.throwIfAborted();
      if (terms.once || client.clock.now() + pauseMs >= terms.until) return null;
      await client.sleep((0.5 + client.random.fraction() / 2) * pauseMs);
      client.throwIfClosed(this.#subject);
      terms.signal?.throwIfAborted();
    }
  }
}

logAs(QuorumLockObject, 'QuorumLock', ({ locks }) => ({ kind: 'quorumLock', locks }));

/** Whether enough members would be left for a majority if those that were late answered. */
function isOnlyLate(error: unknown): boolean {
  if (!(error instanceof QuorumError)) return false;
  const left = error.answers.filter(({ answer }) => ['granted', 'busy', 'too-late'].includes(answer));
  return left.length >= majorityOf(error.answers.length);
}

/**
 * A lock on a majority of independent engines, for when no single store may decide alone.
 *
 * It is held only while a majority is, by the stopwatch of its own rounds. Its fence is the highest of its members',
 * written back to a majority before the grant counts: the next majority shares a member with this one, so the next fence
 * is higher. Locks that cannot be raised give a hold without a fence, and members whose age is not known.
 *
 * @example
 * ```ts
 * import { quorumLock } from 'holdfast';
 * import { memory } from 'holdfast/memory';
 *
 * const engines = ['a', 'b', 'c'].map((label) => memory({ label }));
 * const lock = quorumLock(engines.map((locks) => locks.lock('ledger')));
 * await lock.run(async (hold) => console.log(hold.fence > 0n)); // true
 * ```
 */
export function quorumLock<L extends Lock>(
  locks: readonly L[],
  options?: QuorumOptions,
): QuorumLock<QuorumHold<L>> {
  return new QuorumLockObject(checkMembers('quorumLock', locks), options) as unknown as QuorumLock<
    QuorumHold<L>
  >;
}
