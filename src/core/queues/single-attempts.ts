import { AcquireTimeoutError, EngineError } from '../../spi/errors.ts';
import { asPromise, type MaybeAsync } from '../../spi/maybe-async.ts';
import { onAbort } from '../async/aborts.ts';
import type { Contact } from '../acquire/contact.ts';
import type { Grant } from '../acquire/grant.ts';
import type { Holdable } from '../acquire/holdable.ts';
import { silentStoreError } from '../acquire/silent-store.ts';
import { provesAnswer } from '../acquire/proves-answer.ts';

/** What became of the request of the head: answered, so that the thing was not free; silence; or neither, then ask. */
type HeadOutcome = 'busy' | 'silent' | 'ask';

interface SingleAttempt {
  readonly settle: (outcome: HeadOutcome) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Single attempts behind a head of their line whose request the store has not answered yet.
 *
 * The tempting alternative answers `null` at once, because the line is not theirs to pass. While the store is down that tells
 * each caller but the first that another owner is in, and its work is skipped although the lock is free.
 */
export class SingleAttempts {
  readonly #attempts = new Set<SingleAttempt>();
  readonly #holdable: Holdable;

  constructor(holdable: Holdable) {
    this.#holdable = holdable;
  }

  get isEmpty(): boolean {
    return this.#attempts.size === 0;
  }

  /** Null if the head is answered; an outage if it is not; else the attempt asks for itself. */
  async follow(
    contact: Contact | undefined,
    signal: AbortSignal | undefined,
    ask: () => MaybeAsync<Grant | null>,
  ): Promise<Grant | null> {
    const { client, subject } = this.#holdable;
    const since = client.clock.now();
    const outcome = this.#outcome(signal);
    if (contact !== undefined) this.followContact(contact);
    const became = await outcome;
    if (became === 'busy') return null;
    if (became === 'ask') {
      // In the step in which it asks: since it was called the client may have closed, and nothing would give its grant back.
      signal?.throwIfAborted();
      client.throwIfClosed(subject);
      return asPromise(ask());
    }
    throw silentStoreError(client, subject, Math.ceil(client.clock.now() - since));
  }

  #outcome(signal: AbortSignal | undefined): Promise<HeadOutcome> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        unlisten?.();
        this.#attempts.delete(attempt);
      };
      const attempt: SingleAttempt = {
        settle: (outcome) => {
          end();
          resolve(outcome);
        },
        fail: (error) => {
          end();
          reject(error);
        },
      };
      const unlisten = signal && onAbort(signal, () => attempt.fail(signal.reason));
      this.#attempts.add(attempt);
    });
  }

  /** The head waits in the loop, and its contact hears the answers. */
  followContact(contact: Contact): void {
    if (contact.owedSince() === undefined) this.settle('busy');
    else contact.whenAnswered = () => this.settle('busy');
  }

  settle(outcome: HeadOutcome): void {
    for (const attempt of this.#attempts) attempt.settle(outcome);
  }

  /** The request of the head, or a release, has failed. A head that was aborted says nothing of the store. */
  headFailed(error: unknown): void {
    if (error instanceof AcquireTimeoutError) this.settle('busy');
    else this.settle(error instanceof EngineError && !provesAnswer(error) ? 'silent' : 'ask');
  }

  close(error: unknown): void {
    for (const attempt of this.#attempts) attempt.fail(error);
  }
}
