import { expect, test } from 'vitest';
import { howEnded, type Look, type SeenLease, seenLease } from '../../src/dashboard/hold-ends.ts';

/** Looks of 20 ms. */
const lookAt = (begin: number): Look => ({ begin, end: begin + 20 });

/** A lease as looks at these times have seen it, each with what was left. */
const seen = (...looks: readonly (readonly [now: number, remainingMs: number | null])[]): SeenLease => {
  let lease: SeenLease | undefined;
  for (const [now, remainingMs] of looks) lease = seenLease(lease, remainingMs, now);
  return lease!;
};

test('a hold that was gone while its lease stood was released', () => {
  const lease = seen([20, 30_000]);
  expect(howEnded(lease, lookAt(0), lookAt(1_000))).toBe('released');
  expect(howEnded(lease, lookAt(0), lookAt(29_900))).toBe('released');
});

test('a hold that was last seen long before the end of its lease may have been released, or not', () => {
  const lease = seen([20, 5_000]);
  expect(howEnded(lease, lookAt(0), lookAt(10_000))).toBeUndefined();
  // The end of the lease is known as exactly as the look was short.
  expect(howEnded(lease, lookAt(0), { begin: 4_980, end: 5_010 })).toBeUndefined();
});

test('a hold that was seen in the last tenth of its lease, and was gone after it, ran out', () => {
  const fixed = seen([20, 5_000], [4_620, 400]);
  expect(howEnded(fixed, lookAt(4_600), lookAt(5_600))).toBe('ran out');
  expect(howEnded(seen([20, 5_000], [4_420, 600]), lookAt(4_400), lookAt(5_600))).toBeUndefined();
});

test('a hold that was renewed ran out if it was seen in the last half: its holder had ceased to renew it', () => {
  const renewed = seen([20, 5_000], [2_020, 5_000], [5_020, 2_000]);
  expect(renewed.isRenewed).toBe(true);
  expect(howEnded(renewed, lookAt(5_000), lookAt(7_100))).toBe('ran out');
  const earlier = seen([20, 5_000], [2_020, 5_000], [4_020, 3_000]);
  expect(howEnded(earlier, lookAt(4_000), lookAt(7_100))).toBeUndefined();
  expect(howEnded(earlier, lookAt(4_000), lookAt(6_000))).toBe('released');
});

test('a look that took a little longer is no renewal', () => {
  expect(seen([20, 5_000], [1_020, 4_300]).isRenewed).toBe(false);
});

test('a hold without an end of its own, as that of a session, has ended: nothing tells how', () => {
  expect(howEnded(seen([20, null]), lookAt(0), lookAt(1_000))).toBeUndefined();
});
