import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { EngineTime } from '../../src/kernels/engine-time.ts';
import type { Clock } from '../../src/spi/clock.ts';

const NO_TIMER: Clock['timer'] = () => ({ cancel: () => undefined, keepsAlive: () => undefined });

test('the bound never passes the engine, whatever the delays and however our clock runs within a thousandth (soundness 5)', () => {
  const reply = fc.record({
    waitMs: fc.double({ min: 0, max: 10_000, noNaN: true }),
    backMs: fc.double({ min: 0, max: 3000, noNaN: true }),
  });
  const rates = fc.double({ min: 0.999, max: 1.001, noNaN: true });
  fc.assert(
    fc.property(fc.array(reply, { minLength: 1, maxLength: 20 }), rates, (replies, rate) => {
      let truth = 0;
      const clock: Clock = { now: () => truth * rate, epochNow: () => truth, timer: NO_TIMER };
      const time = new EngineTime(clock);
      for (const { waitMs, backMs } of replies) {
        truth += waitMs;
        const decidedAt = truth;
        truth += backMs;
        time.heard(decidedAt);
        assert.ok(time.atLeast() <= truth + 1e-6);
        assert.ok(time.atLeast() >= decidedAt, 'and is not behind what was heard');
        truth += waitMs;
        assert.ok(time.atLeast() <= truth + 1e-6);
      }
    }),
  );
});

test('without a reply nothing is known, and an old one is known to be old', () => {
  let now = 5;
  const time = new EngineTime({ now: () => now, epochNow: () => now, timer: NO_TIMER });
  assert.equal(time.slackMs(), Infinity);
  time.heard(1000);
  assert.equal(time.slackMs(), 0);
  now += 3_600_000;
  assert.equal(Math.round(time.slackMs()), 7200);
});
