import { PendingAnswer } from './pending-answer.ts';

/** A value that is not here yet. */
export type Pending<T> = Promise<T> | PendingAnswer<T>;

/**
 * A value now, or later.
 *
 * The tempting alternative is a promise everywhere. The in-memory engine answers at once, and a promise for
 * each of its steps would cost more than the step; an engine behind a network answers later anyway.
 * Callers inside Holdfast `await` it, ask {@link isPending} or say {@link mapAnswer}; the public API always returns
 * promises.
 */
export type MaybeAsync<T> = T | Pending<T>;

/** Whether a {@link MaybeAsync} is not here yet. */
export function isPending<T>(value: MaybeAsync<T>): value is Pending<T> {
  return value instanceof Promise || value instanceof PendingAnswer;
}

/** Continues a value: at once if it is here, else when it arrives. */
export function mapAnswer<T, R>(
  value: MaybeAsync<T>,
  done: (value: T) => MaybeAsync<R>,
  failed: (error: unknown) => MaybeAsync<R> = rethrow,
): MaybeAsync<R> {
  if (value instanceof PendingAnswer) return value.chain(done, failed);
  if (value instanceof Promise) return value.then(done, failed);
  return done(value);
}

/** The same with functions that get `self` as a parameter, so that no closure is allocated. */
export function mapAnswerFor<T, R, S extends object>(
  self: S,
  value: MaybeAsync<T>,
  done: (self: S, value: T) => MaybeAsync<R>,
  failed: (self: S, error: unknown) => MaybeAsync<R>,
): MaybeAsync<R> {
  if (value instanceof PendingAnswer) return value.chainFor(self, done, failed);
  if (!(value instanceof Promise)) return done(self, value);
  return value.then(
    (came) => done(self, came),
    (error: unknown) => failed(self, error),
  );
}

/** Makes a promise of it, for the public API. */
export function asPromise<T>(value: MaybeAsync<T>): Promise<T> {
  if (value instanceof PendingAnswer) return value.promise();
  return value instanceof Promise ? value : Promise.resolve(value);
}

function rethrow(error: unknown): never {
  throw error;
}
