import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { isError } from '../../src/spi/is-error.ts';

test('an error of another realm is one', () => {
  const foreign: unknown = runInNewContext(`new TypeError('elsewhere')`);
  expect(foreign).not.toBeInstanceOf(Error);
  expect([new RangeError('here'), foreign].map(isError)).toEqual([true, true]);
});

test('what an abort throws in another realm is one', () => {
  const foreign: unknown = runInNewContext(
    `Object.create(null, { [Symbol.toStringTag]: { value: 'DOMException' } })`,
  );
  expect(isError(foreign)).toBe(true);
});

test('what only looks like one is none', () => {
  expect([undefined, null, 'error', { message: 'm', stack: 's' }].map(isError)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
