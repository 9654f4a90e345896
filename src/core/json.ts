import { argumentTypeError, type ErrorSubject } from '../spi/errors.ts';
import type { Json } from '../spi/json.ts';

/** A copy of a JSON value, so that a caller that changes its own does not change ours. */
export function copyOf<T extends Json>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/**
 * A copy of a user's value, which must survive a JSON round trip unchanged. `JSON.stringify` alone would quietly turn a
 * Date into a string, NaN into null and drop a function, and the next section would find something else than was written.
 */
export function checkedJson(value: unknown, what: string, subject: ErrorSubject): Json {
  const fault = faultIn(value, '', new Set());
  if (fault !== undefined) {
    throw argumentTypeError(
      `${subject.resource}: ${what} must be plain JSON (null, booleans, finite numbers, strings, arrays, plain objects); ${fault}.`,
      subject,
    );
  }
  return copyOf(value as Json);
}

function faultIn(value: unknown, path: string, within: Set<object>): string | undefined {
  const where = path === '' ? 'it' : path.slice(1);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `${where} is ${value}`;
  if (typeof value !== 'object') return `${where} is of type ${typeof value}`;
  if (within.has(value)) return `${where} contains itself`;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) {
    return `${where} is a ${value.constructor?.name ?? 'special object'}`;
  }
  within.add(value);
  for (const [key, part] of Object.entries(value)) {
    const fault = faultIn(part, `${path}.${key}`, within);
    if (fault !== undefined) return fault;
  }
  within.delete(value);
  return undefined;
}
