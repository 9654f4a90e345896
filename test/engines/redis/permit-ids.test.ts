import { expect, test } from 'vitest';
import { newPermitId } from '../../../src/engines/redis/locks/permit-ids.ts';

const CLIENT = 'c'.repeat(16);
const COUNT = 5000;

test('ids of permits name their client, never repeat, and do not tell the next', () => {
  const ids = Array.from({ length: COUNT }, () => newPermitId(`${CLIENT}${'d'.repeat(16)}`));
  expect(ids.every((id) => /^c{16}[0-9a-f]{12}0000$/.test(id))).toBe(true);
  expect(new Set(ids).size).toBe(COUNT);
  const numbers = ids.map((id) => parseInt(id.slice(16, 28), 16));
  const steps = new Set(numbers.slice(1).map((number, at) => number - numbers[at]!));
  // Of random differences of 48 bits, 5,000 meet with a chance of one in ten million; those of a count, or of one that is shifted, are equal.
  expect(steps.size).toBe(COUNT - 1);
  // Both halves move, each way.
  for (const digits of [ids.map((id) => id.slice(16, 22)), ids.map((id) => id.slice(22, 28))])
    expect(new Set(digits).size).toBeGreaterThan(COUNT * 0.99);
});
