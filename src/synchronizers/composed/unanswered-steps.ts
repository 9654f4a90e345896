import type { LockObject } from '../lock/lock.ts';

/** How a step ended that was sent to a member: with an answer of the member, or with an error. */
type SentStep = { readonly kind: 'answered' } | { readonly kind: 'failed'; readonly error: unknown };

/**
 * What the rounds of one quorum lock have sent to its members and is not answered yet: a request, or the release of what a
 * member granted too late.
 */
export class UnansweredSteps {
  readonly #steps = new Map<LockObject, Promise<SentStep>>();

  /** The last step that this member has not answered. Never rejects. */
  of(lock: LockObject): Promise<SentStep> | undefined {
    return this.#steps.get(lock);
  }

  remember(lock: LockObject, step: Promise<unknown>): void {
    const settled: Promise<SentStep> = step.then(
      () => this.#forget(lock, settled, { kind: 'answered' }),
      (error: unknown) => this.#forget(lock, settled, { kind: 'failed', error }),
    );
    this.#steps.set(lock, settled);
  }

  /** Unless a later step is under way by now. */
  #forget(lock: LockObject, settled: Promise<SentStep>, step: SentStep): SentStep {
    if (this.#steps.get(lock) === settled) this.#steps.delete(lock);
    return step;
  }
}
