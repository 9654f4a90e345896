/**
 * A value now, or a promise of it.
 *
 * The tempting alternative is a promise everywhere. The in-memory engine answers at once, and a promise for
 * each of its steps would cost more than the step; an engine behind a network returns a promise anyway.
 * Callers inside Holdfast `await` it or ask {@link isPromise}; the public API always returns promises.
 */
export type Eventually<T> = T | Promise<T>;

/** Tells the two halves of {@link Eventually} apart. */
export function isPromise<T>(value: Eventually<T>): value is Promise<T> {
  return value instanceof Promise;
}
