import { describe } from 'vitest';
import { PUBLISHED } from '../interop/redisson/published-tests.ts';
import { publishedSuite } from './published-suite.ts';

/** As the note counts them; the others are not listed name by name. */
const COUNTS: Readonly<Record<string, number>> = {
  RedissonLockTest: 26,
  RedissonFairLockTest: 28,
  RedissonReadWriteLockTest: 31,
  RedissonLockExpirationRenewalTest: 4,
  RedissonMultiLockTest: 4,
  RedissonSemaphoreTest: 17,
  RedissonPermitExpirableSemaphoreTest: 30,
};

describe('Redisson’s published tests', () => {
  publishedSuite(PUBLISHED, 'docs/wire/redisson.md', COUNTS);
});
