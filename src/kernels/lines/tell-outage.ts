import type { Client } from '../../core/client.ts';
import { provesAnswer } from '../../core/failures/proves-answer.ts';
import { silentStoreError } from '../../core/failures/silent-store.ts';
import { EngineError, type ErrorSubject } from '../../spi/errors.ts';
import { mapAnswer, type MaybeAsync } from '../../spi/maybe-async.ts';

/**
 * A single attempt, which ends at the latest when the engine gives its session up, or the opening of the next one: rejects as
 * every other acquisition does that ends in an outage.
 *
 * The tempting alternative passes on what the engine says. That is about a connection: it names no lock, and does not say that
 * the lock may be free.
 */
export function tellOutage<T>(client: Client, subject: ErrorSubject, attempt: MaybeAsync<T>): MaybeAsync<T> {
  const since = client.clock.now();
  return mapAnswer(
    attempt,
    (answer) => answer,
    (error) => {
      if (!(error instanceof EngineError) || provesAnswer(error)) throw error;
      client.noteStoreFailure(error);
      throw silentStoreError(client, subject, Math.ceil(client.clock.now() - since));
    },
  );
}
