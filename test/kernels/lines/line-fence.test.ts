import { describe, expect, test } from 'vitest';
import { blockFence, plainFence } from '../../../src/kernels/lines/line-fence.ts';
import { EngineError } from '../../../src/index.ts';

const subject = { resource: 'lock "a"', engine: 'lines' };

describe('the fence of a ticket', () => {
  test('all fences of a ticket are below all fences of the next number', () => {
    expect(blockFence(7, subject) + 63).toBeLessThan(blockFence(8, subject));
    expect(plainFence(7, subject)).toBe(7);
  });

  test('up to 2^47 - 1 a block of fences is exact', () => {
    const last = 2 ** 47 - 1;
    expect(BigInt(blockFence(last, subject))).toBe(2n ** 53n - 64n);
    expect(blockFence(last, subject) + 63).toBe(Number.MAX_SAFE_INTEGER);
  });

  test('beyond 2^53 a fence is refused, because it could repeat', () => {
    expect(() => blockFence(2 ** 47, subject)).toThrow(EngineError);
    expect(() => blockFence(2 ** 47, subject)).toThrow(/above 2\^53.*Nothing was acquired/);
    expect(() => plainFence(2 ** 53, subject)).toThrow(EngineError);
    expect(plainFence(2 ** 53 - 1, subject)).toBe(Number.MAX_SAFE_INTEGER);
  });
});
