/** What an abort throws is a `DOMException`, which has a name of its own here. */
const FOREIGN = /^\[object (?:Error|DOMException)\]$/;

/**
 * Whether a value is an error, of any realm. `instanceof Error` is false for what Node itself throws inside of Jest, which runs tests
 * with classes of their own: a refused connection would be no error, and a missing package would not count as missing.
 */
export function isError(value: unknown): value is Error {
  return value instanceof Error || FOREIGN.test(Object.prototype.toString.call(value));
}
