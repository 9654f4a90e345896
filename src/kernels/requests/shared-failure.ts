import { EngineError, type ErrorSubject } from '../../spi/errors.ts';

/**
 * Why work failed that several callers wait for, without a word about any of them: setting up the tables, asking for the
 * server's time. An error that is made for the first caller tells the others about a lock that is not theirs, so what is
 * shared rejects with this, and each caller has it explained for its own subject.
 */
export class SharedFailure extends Error {
  readonly #explain: (subject: ErrorSubject) => Error;

  constructor(explain: (subject: ErrorSubject) => Error, options?: ErrorOptions) {
    super('work that several callers share has failed', options);
    this.name = 'SharedFailure';
    this.#explain = explain;
  }

  explainedFor(subject: ErrorSubject): Error {
    return this.#explain(subject);
  }
}

/** The error that the caller with this subject gets. */
export function explainedFor(subject: ErrorSubject, error: unknown): unknown {
  if (error instanceof SharedFailure) return error.explainedFor(subject);
  if (error instanceof EngineError && error.resource !== subject.resource) return about(subject, error);
  return error;
}

/** An error of a part that knows no locks: of the file, of the cluster. */
function about(subject: ErrorSubject, error: EngineError): EngineError {
  const { message, retryable } = error;
  return new EngineError(`${subject.resource}: ${message}`, subject, { cause: error, retryable });
}
