import { Coming } from './coming.ts';

/** A value that is on its way. */
export type Later<T> = Promise<T> | Coming<T>;

/**
 * A value now, or later.
 *
 * The tempting alternative is a promise everywhere. The in-memory engine answers at once, and a promise for
 * each of its steps would cost more than the step; an engine behind a network answers later anyway.
 * Callers inside Holdfast `await` it, ask {@link isLater} or say {@link whenSettled}; the public API always returns
 * promises.
 */
export type Eventually<T> = T | Later<T>;

/** Tells the two halves of {@link Eventually} apart. */
export function isLater<T>(value: Eventually<T>): value is Later<T> {
  return value instanceof Promise || value instanceof Coming;
}

/** What becomes of a value: at once if it is here, when it comes otherwise. */
export function whenSettled<T, R>(
  value: Eventually<T>,
  done: (value: T) => Eventually<R>,
  failed: (error: unknown) => Eventually<R> = rethrow,
): Eventually<R> {
  if (value instanceof Coming) return value.chain(done, failed);
  if (value instanceof Promise) return value.then(done, failed);
  return done(value);
}

/** The same by functions that are told for whom, so that none has to be made or kept for the purpose. */
export function whenSettledFor<T, R, S extends object>(
  self: S,
  value: Eventually<T>,
  done: (self: S, value: T) => Eventually<R>,
  failed: (self: S, error: unknown) => Eventually<R>,
): Eventually<R> {
  if (value instanceof Coming) return value.chainFor(self, done, failed);
  if (!(value instanceof Promise)) return done(self, value);
  return value.then(
    (came) => done(self, came),
    (error: unknown) => failed(self, error),
  );
}

/** For those outside, who know nothing but promises. */
export function asPromise<T>(value: Eventually<T>): Promise<T> {
  if (value instanceof Coming) return value.promise();
  return value instanceof Promise ? value : Promise.resolve(value);
}

function rethrow(error: unknown): never {
  throw error;
}
