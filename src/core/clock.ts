import { randomBytes } from 'node:crypto';
import { uptime } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Clock, Random } from '../spi/clock.ts';

/**
 * Suspends shorter than this are not told apart from the 10 ms steps in which the system counts its uptime. It is
 * covered by the fixed part of every hold's safety margin.
 */
const UPTIME_STEP_MS = 20;

/**
 * How often the uptime is compared. Asking for it costs a hundred times what the stopwatch costs. An act that starts within this
 * time of waking up cannot be told from one that was under way when the machine fell asleep: the fence's business.
 */
const UPTIME_CHECK_MS = 10;

/** The stopwatch stands still while the machine is suspended and the uptime does not (soundness 6). */
export function suspendAwareStopwatch(stopwatchMs: () => number, uptimeMs: () => number): () => number {
  const asleepAtStart = uptimeMs() - stopwatchMs();
  let asleepMs = 0;
  let checkedAt = -Infinity;
  return () => {
    const awakeMs = stopwatchMs();
    if (awakeMs - checkedAt >= UPTIME_CHECK_MS) {
      checkedAt = awakeMs;
      const asleepNow = uptimeMs() - awakeMs - asleepAtStart;
      if (asleepNow - asleepMs > UPTIME_STEP_MS) asleepMs = asleepNow;
    }
    return awakeMs + asleepMs;
  };
}

function createSystemClock(): Clock {
  const now = suspendAwareStopwatch(
    () => performance.now(),
    () => uptime() * 1000,
  );
  const origin = performance.timeOrigin;
  return {
    now,
    epochNow: () => origin + now(),
    timer: (delayMs, call) => {
      const timeout = setTimeout(call, delayMs).unref();
      return {
        cancel: () => clearTimeout(timeout),
        keepsAlive: (yes) => void (yes ? timeout.ref() : timeout.unref()),
      };
    },
  };
}

/** The time of this machine. The only place that touches it. */
export const systemClock: Clock = createSystemClock();

/** To ask the system for 16 bytes costs as much as to ask for a thousand. */
const POOL_BYTES = 4096;
const ID_BYTES = 16;
let pool = Buffer.alloc(0);

/** 128 random bits, none of which has been used before. */
function freshId(): string {
  if (pool.length < ID_BYTES) pool = randomBytes(POOL_BYTES);
  const id = pool.toString('hex', 0, ID_BYTES);
  pool = pool.subarray(ID_BYTES);
  return id;
}

/** The chance of this machine. The only place that touches it. */
export const systemRandom: Random = {
  id: freshId,
  fraction: () => randomBytes(6).readUIntBE(0, 6) / 2 ** 48,
};
