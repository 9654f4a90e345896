import { expect, test } from 'vitest';
import { isOwedForLong } from '../../src/core/acquire/contact.ts';

test('silence for nearly the whole of a short wait is an outage; for a moment at its end it is not', () => {
  // The line begins to count some microseconds after the time of the waiter has begun.
  expect(isOwedForLong(49.99, 50)).toBe(true);
  expect(isOwedForLong(40, 50)).toBe(false);
});
