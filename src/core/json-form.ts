/** What objects that go to users may have that JSON has not. */
interface Fenced {
  readonly fence?: bigint;
  readonly remainingMs?: number;
}

/** The fence as text, and whole milliseconds: more digits are those of the clock. */
function toJSON(this: Fenced): object {
  const { fence, remainingMs } = this;
  return {
    ...this,
    ...(fence !== undefined && { fence: String(fence) }),
    ...(remainingMs !== undefined && { remainingMs: Math.round(remainingMs) }),
  };
}

/**
 * Lets `JSON.stringify` show a plain object with a fence, a bigint, at which it throws: a program that logs the error of a time-out as
 * JSON would fail at the holder in it. Not enumerable: to compare, copy or print the object shows its values alone.
 */
export function withJsonForm<T extends Fenced>(plain: T): T {
  return Object.defineProperty(plain, 'toJSON', { value: toJSON });
}
