import { expect, test } from 'vitest';
import { provesAnswer } from '../../../src/core/failures/proves-answer.ts';
import { StoreFullError } from '../../../src/core/failures/store-full-error.ts';
import { explained, notConfirmed, tooLate } from '../../../src/engines/redis/requests/server-errors.ts';
import { afterUnanswered } from '../../../src/kernels/requests/after-unanswered.ts';
import { unanswered } from '../../../src/kernels/requests/unanswered.ts';
import { EngineError } from '../../../src/spi/errors.ts';

const SUBJECT = { resource: 'lock "a"', engine: 'redis' };
const OUT_OF_MEMORY = new Error("OOM command not allowed when used memory > 'maxmemory'.");

test.each([
  ['the last copy came too late', tooLate(SUBJECT, 'unknown')],
  ['too few replicas confirmed it', notConfirmed(0, 1, SUBJECT)],
  [
    'the server was out of memory when the last copy came',
    afterUnanswered(explained(OUT_OF_MEMORY, SUBJECT, 'single')),
  ],
])('a request that failed because %s was answered, and is worth another try', (_, error) => {
  expect(error).toBeInstanceOf(EngineError);
  expect(error).toMatchObject({ name: 'EngineError', code: 'ENGINE', retryable: true, ...SUBJECT });
  expect(error.message).toContain('lock "a"');
  expect(provesAnswer(error)).toBe(true);
  // Something may have come of it: it must be withdrawn, and its caller must not wait for room.
  expect(error).not.toBeInstanceOf(StoreFullError);
});

test('a request that was not answered proves nothing', () => {
  expect(provesAnswer(unanswered(SUBJECT, undefined, true, 1000))).toBe(false);
});
