import { expect, test } from 'vitest';
import { Heartbeat } from '../../../src/engines/redis/drivers/subscriptions/heartbeat.ts';
import type { Clock } from '../../../src/spi/clock.ts';

const BEAT_MS = 5000;

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
  const passBeat = (lateMs = 0): void => {
    now = due.at + lateMs;
    due.call();
  };
  return { heartbeat, seen, passBeat, now: () => now };
}

test('a connection that answers is asked again, and one that does not is silent after two beats', async () => {
  const { seen, passBeat, now } = stage();
  const silentSince = now();
  passBeat();
  expect(seen.pings).toBe(1);
  passBeat();
  expect(seen.silent).toBe(1);
  expect(now() - silentSince).toBe(2 * BEAT_MS);
});

test('a connection that has answered for long is asked less often, and is silent 35 seconds after at most', async () => {
  const { seen, passBeat, now } = stage();
  const askedAt: number[] = [];
  for (let asked = 1; asked <= 7; asked++) {
    passBeat();
    expect(seen.pings).toBe(asked);
    askedAt.push(now());
    seen.answer();
    await Promise.resolve();
    // The answer is seen a beat after.
    passBeat();
  }
  expect(askedAt.slice(1).map((at, which) => (at - askedAt[which]!) / 1000)).toEqual([
    10, 15, 25, 35, 35, 35,
  ]);
  const silentSince = now();
  passBeat();
  passBeat();
  expect(seen.silent).toBe(1);
  expect(now() - silentSince).toBe(35_000);
});

test('a process that stood still reads its answers before it judges', async () => {
  const { seen, passBeat } = stage();
  passBeat();
  // Stopped for a minute with the answer in its socket: timers come first.
  passBeat(60_000);
  expect(seen.silent).toBe(0);
  seen.answer();
  await Promise.resolve();
  passBeat();
  expect(seen.silent).toBe(0);
});

test('it ends with its connection', () => {
  const { heartbeat, seen, passBeat } = stage();
  heartbeat.stop();
  passBeat();
  expect(seen).toMatchObject({ pings: 0, silent: 0 });
});
