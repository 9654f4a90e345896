import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EngineTime } from '../../src/kernels/requests/engine-time.ts';
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
        const [askedAt, decidedAt] = [clock.now(), truth];
        truth += backMs;
        time.noteTime(decidedAt, askedAt);
        expect(time.atLeast()).toBeLessThanOrEqual(truth + 1e-6);
        expect(time.atLeast(), 'and is not behind what was heard').toBeGreaterThanOrEqual(decidedAt);
        truth += waitMs;
        expect(time.atLeast()).toBeLessThanOrEqual(truth + 1e-6);
      }
    }),
  );
});

test('without a reply nothing is known, and an old one is known to be old', () => {
  let now = 5;
  const time = new EngineTime({ now: () => now, epochNow: () => now, timer: NO_TIMER });
  expect(time.slackMs()).toBe(Infinity);
  time.noteTime(1000, 5);
  expect(time.slackMs()).toBe(0);
  now += 3_600_000;
  expect(Math.round(time.slackMs())).toBe(7200);
});

const STEP_BACK_MS = 3_600_000;

test('after the engine’s clock was set back the first reply brings the bound back, and no reply leaves slack behind (soundness 3, 5)', () => {
  let now = 0;
  let engine = 1_000_000_000;
  const time = new EngineTime({ now: () => now, epochNow: () => now, timer: NO_TIMER });
  const pass = (ms: number): void => {
    now += ms;
    engine += ms;
  };
  time.noteTime(engine, now);
  pass(100);
  engine -= STEP_BACK_MS;
  for (let call = 0; call < 5; call++) {
    pass(100_000);
    const askedAt = now;
    pass(1);
    time.noteTime(engine, askedAt);
    expect(time.slackMs()).toBe(0);
    expect(time.atLeast(), `${time.atLeast() - engine} ms ahead of the engine`).toBeLessThanOrEqual(engine);
  }
});

test('a late reply to an early request is no clock that was set back, and does not lower the bound', () => {
  let now = 0;
  const time = new EngineTime({ now: () => now, epochNow: () => now, timer: NO_TIMER });
  now = 10_000;
  time.noteTime(60_000, 9_999);
  // Asked 10 seconds ago, decided 8 seconds ago, and held up in a socket since.
  time.noteTime(52_000, 0);
  expect(time.atLeast()).toBe(60_000);
});

test('whatever the delays, the order of replies and our clock’s rate: without a step back the bound never falls', () => {
  const request = fc.record({
    waitMs: fc.double({ min: 0, max: 10_000, noNaN: true }),
    wayMs: fc.double({ min: 0, max: 3000, noNaN: true }),
    backMs: fc.double({ min: 0, max: 3000, noNaN: true }),
  });
  const rates = fc.double({ min: 0.9995, max: 1.0005, noNaN: true });
  fc.assert(
    fc.property(fc.array(request, { minLength: 1, maxLength: 20 }), rates, (requests, rate) => {
      let truth = 0;
      const clock: Clock = { now: () => truth * rate, epochNow: () => truth, timer: NO_TIMER };
      const time = new EngineTime(clock);
      let askedAt = 0;
      const replies = requests.map(({ waitMs, wayMs, backMs }) => {
        askedAt += waitMs;
        return { askedAt, decidedAt: askedAt + wayMs, heardAt: askedAt + wayMs + backMs };
      });
      let last = -Infinity;
      for (const { askedAt: asked, decidedAt, heardAt } of replies.toSorted(
        (a, b) => a.heardAt - b.heardAt,
      )) {
        truth = heardAt;
        // As an engine tells it that counts in whole milliseconds.
        time.noteTime(Math.floor(decidedAt), asked * rate);
        expect(time.atLeast()).toBeGreaterThanOrEqual(last - 1e-6);
        expect(time.atLeast()).toBeLessThanOrEqual(truth + 1e-6);
        last = time.atLeast();
      }
    }),
  );
});

/** As a client does with a command time-out of one second: it asks for the time before a request if the slack is above a tenth. */
const MOST_SLACK_MS = 100;

test('after the way to the engine has become longer no request asks for the time first, and after a pause one does', () => {
  let now = 0;
  const time = new EngineTime({ now: () => now, epochNow: () => now, timer: NO_TIMER });
  /** The engine's clock is ours, and a reply is decided half-way. */
  const roundTrip = (ms: number): void => {
    const askedAt = now;
    now += ms;
    time.noteTime(askedAt + ms / 2, askedAt);
  };
  let asks = 0;
  const request = (ms: number): void => {
    if (time.slackMs() > MOST_SLACK_MS) {
      asks++;
      roundTrip(ms);
    }
    roundTrip(ms);
    expect(time.atLeast()).toBeLessThanOrEqual(now);
  };
  roundTrip(5);
  while (now < 600_000) request(800);
  expect(asks).toBe(0);
  now += 60_000;
  for (let call = 0; call < 20; call++) request(800);
  expect(asks).toBe(1);
});
