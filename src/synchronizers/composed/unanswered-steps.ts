import type { LockObject } from '../lock/lock.ts';

/**
 * What the rounds of one quorum lock have sent to its members and is not answered yet: a request, or the release of what a
 * member granted too late.
 */
export class UnansweredSteps {
  readonly #steps = new Map<LockObject, Promise<boolean>>();

  /** The last step that this member has not answered: resolves to whether it has answered, and never rejects. */
  of(lock: LockObject): Promise<boolean> | undefined {
    return this.#steps.get(lock);
  }

  remember(lock: LockObject, step: Promise<unknown>): void {
    const settled: Promise<boolean> = step.then(
      () => this.#forget(lock, settled, true),
      () => this.#forget(lock, settled, false),
    );
    this.#steps.set(lock, settled);
  }

  /** Unless a later step is under way by now. */
  #forget(lock: LockObject, settled: Promise<boolean>, isAnswered: boolean): boolean {
    if (this.#steps.get(lock) === settled) this.#steps.delete(lock);
    return isAnswered;
  }
}
