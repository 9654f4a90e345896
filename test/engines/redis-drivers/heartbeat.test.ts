import { expect, test } from 'vitest';
import { Heartbeat } from '../../../src/engines/redis/drivers/subscriptions/heartbeat.ts';
import type { Clock } from '../../../src/spi/clock.ts';

const QUIET_MS = 9000;
const ANSWER_MS = 5500;
/** The time for which a server that runs a script answers nothing, not even BUSY: `busy-reply-threshold`. */
const SCRIPT_MS = 5000;

/** Time that the test moves, and one connection. */
function stage() {
  let now = 0;
  let due = { at: Infinity, call: (): void => undefined };
  const clock: Clock = {
    now: () => now,
    epochNow: () => now,
    timer: (delayMs, call) => {
      due = { at: now + delayMs, call };
      return {
        cancel: () => {
          due = { at: Infinity, call: () => undefined };
        },
        keepsAlive: () => undefined,
      };
    },
  };
  const seen = { pings: 0, silent: 0, answer: (): void => undefined };
  const ping = (): Promise<void> => {
    seen.pings++;
    return new Promise((resolve) => {
      seen.answer = resolve;
    });
  };
  const heartbeat = new Heartbeat(clock, ping, () => seen.silent++);
  /** The next timer is called so much later than it was to be. */
  const passTimer = (lateMs = 0): void => {
    now = due.at + lateMs;
    due.call();
  };
  const passUntil = (at: number): void => {
    while (due.at <= at) passTimer();
    now = at;
  };
  return { heartbeat, seen, passTimer, passUntil, now: () => now };
}

/** All that `.then` does of an answer. */
const settled = () => Promise.resolve();

test('a quiet connection that answers is asked again, and one that does not is silent less than 15 seconds later', async () => {
  const { seen, passTimer, now } = stage();
  let heardAt = 0;
  for (let beat = 1; beat <= 3; beat++) {
    passTimer();
    expect(seen.pings).toBe(beat);
    expect(now() - heardAt).toBe(QUIET_MS);
    seen.answer();
    await settled();
    heardAt = now();
    // Whether it was answered.
    passTimer();
    expect(seen.silent).toBe(0);
  }
  passTimer();
  passTimer();
  expect(seen).toMatchObject({ pings: 4, silent: 1 });
  expect(now() - heardAt).toBe(QUIET_MS + ANSWER_MS);
});

test('a connection with traffic is not asked, and is asked as soon after the last of it as one without', () => {
  const { heartbeat, seen, passTimer, passUntil, now } = stage();
  for (let at = 1000; at <= 60_000; at += 1000) {
    passUntil(at);
    heartbeat.recordTraffic();
  }
  expect(seen.pings).toBe(0);
  const lastAt = now();
  while (seen.silent === 0) passTimer();
  expect(seen.pings).toBe(1);
  expect(now() - lastAt).toBe(QUIET_MS + ANSWER_MS);
});

test('a process that stood still reads its answers before it judges', async () => {
  const { seen, passTimer } = stage();
  passTimer();
  expect(seen.pings).toBe(1);
  // Stopped for a minute with the answer in its socket: timers come first.
  passTimer(60_000);
  expect(seen.silent).toBe(0);
  seen.answer();
  await settled();
  passTimer();
  expect(seen.silent).toBe(0);
});

test('a server that runs a script for as long as it says nothing of it is not silent', async () => {
  const { seen, passTimer, now } = stage();
  passTimer();
  expect(seen.pings).toBe(1);
  const askedAt = now();
  passTimer();
  expect(now() - askedAt).toBeGreaterThan(SCRIPT_MS);
});

test('it ends with its connection', () => {
  const { heartbeat, seen, passTimer } = stage();
  heartbeat.stop();
  passTimer();
  expect(seen).toMatchObject({ pings: 0, silent: 0 });
});
