import { expect, test } from 'vitest';
import { RowAttempts } from '../../../src/engines/sql/native/table-locks/row-attempts.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

const LATE_AFTER_MS = 6_000;

test('owners whose release is never answered are forgotten once nothing of theirs can come', async () => {
  const clock = new VirtualClock();
  const attempts = new RowAttempts(clock, LATE_AFTER_MS);
  let most = 0;
  // An hour without an answer, ten attempts a second.
  for (let owner = 0; owner < 36_000; owner++) {
    const attempt = attempts.begin(`owner ${owner}`);
    const unknown = attempts.send(attempt, 0, async () => {
      attempt.isCertain = false;
      throw new Error('no answer');
    });
    await unknown.catch(() => undefined);
    attempts.end(`owner ${owner}`, attempt);
    attempts.withdraw(`owner ${owner}`);
    clock.stall(100);
    most = Math.max(most, attempts.size);
  }
  // Those of the last 6.1 s, and as many until they are looked through.
  expect(most).toBeLessThanOrEqual(256);
});

test('an attempt under way is not forgotten, however long it takes', () => {
  const clock = new VirtualClock();
  const attempts = new RowAttempts(clock, LATE_AFTER_MS);
  const first = attempts.begin('first');
  clock.stall(10 * LATE_AFTER_MS);
  for (let owner = 0; owner < 1_000; owner++) {
    const attempt = attempts.begin(`owner ${owner}`);
    attempt.mayComeUntil = clock.now() + 1;
    attempts.end(`owner ${owner}`, attempt);
    clock.stall(100);
  }
  attempts.withdraw('first');
  expect(first.isWithdrawn).toBe(true);
});

test('an attempt that was answered leaves nothing to come, though one before it was not answered', async () => {
  const clock = new VirtualClock();
  const attempts = new RowAttempts(clock, LATE_AFTER_MS);
  const unanswered = attempts.begin('owner');
  const unknown = attempts.send(unanswered, 0, async () => {
    unanswered.isCertain = false;
    throw new Error('no answer');
  });
  await unknown.catch(() => undefined);
  attempts.end('owner', unanswered);
  clock.stall(2 * LATE_AFTER_MS);
  const answered = attempts.begin('owner');
  await attempts.send(answered, 0, async () => undefined);
  expect(attempts.withdraw('owner')).toBe(undefined);
  attempts.end('owner', answered);
  expect(attempts.size).toBe(0);
});
