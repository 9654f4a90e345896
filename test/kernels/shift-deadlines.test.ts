import { expect, test } from 'vitest';
import { shiftDeadlines } from '../../src/kernels/cells/shift-deadlines.ts';

test('a lease, and the time for which a hold is kept, end so much earlier; what users wrote does not change', () => {
  const state = {
    fence: 7,
    holder: { owner: 'a:1', until: 1000, keptUntil: 900, fence: 7, fences: 1 },
    queue: [{ owner: 'b:1', until: 500, leaseMs: 30 }],
    value: { owner: 'users', until: 1000, keptUntil: 900 },
  };
  expect(shiftDeadlines(state, 100)).toStrictEqual({
    fence: 7,
    holder: { owner: 'a:1', until: 900, keptUntil: 800, fence: 7, fences: 1 },
    queue: [{ owner: 'b:1', until: 400, leaseMs: 30 }],
    value: { owner: 'users', until: 1000, keptUntil: 900 },
  });
});
