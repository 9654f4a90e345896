import { isDeepStrictEqual } from 'node:util';
import { TOLERANCE_MS } from './model-time.ts';

/** Redis and the model disagree. */
export class Difference extends Error {
  override readonly name = 'Difference';

  constructor(about: string, found: unknown, expected: unknown) {
    super(`${about}\nfound    ${JSON.stringify(found)}\nexpected ${JSON.stringify(expected)}`);
  }
}

/** The program took so long that real time could have decided something: it says nothing. */
export class TooSlow extends Error {
  override readonly name = 'TooSlow';
}

/** Members whose names end in `Ms` are times, and are the same when they are close; everything else is exact. */
export function isSame(found: unknown, expected: unknown, name = ''): boolean {
  if (typeof found === 'number' && typeof expected === 'number' && name.endsWith('Ms')) {
    return found === expected || Math.abs(found - expected) <= TOLERANCE_MS;
  }
  if (typeof found !== 'object' || typeof expected !== 'object' || found === null || expected === null) {
    return isDeepStrictEqual(found, expected);
  }
  const [ours, theirs] = [new Map(Object.entries(found)), new Map(Object.entries(expected))];
  return (
    Array.isArray(found) === Array.isArray(expected) &&
    ours.size === theirs.size &&
    [...ours].every(([key, value]) => theirs.has(key) && isSame(value, theirs.get(key), key))
  );
}

export function expectSame(about: string, found: unknown, expected: unknown): void {
  if (!isSame(found, expected)) throw new Difference(about, found, expected);
}
