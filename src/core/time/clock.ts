import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Clock, Random } from '../../spi/clock.ts';
import { findUptime } from './system-uptime.ts';

/**
 * How often we look whether the machine has slept. An act that starts within this time of waking up cannot be told from
 * one that was under way when the machine fell asleep: the fence's business.
 */
const LOOK_MS = 10;

/**
 * The uptime is asked for when the time of day has moved away from the stopwatch by so much since it was asked for last,
 * or so long ago. To ask for it at every look is safer by a hair, and was a fiftieth of what a lock cost: it is a file
 * that is opened, read and closed. A time of day that is set back while the machine sleeps, by as long as it sleeps,
 * hides that from us for a tenth of a second.
 */
const MOVED_MS = 5;
const UPTIME_CHECK_MS = 100;

/** What a machine knows of time. */
export interface Timepieces {
  /** Stands still while the machine is suspended. */
  readonly stopwatchMs: () => number;
  /** Does not, but is set by people and programs. */
  readonly timeOfDayMs: () => number;
  /** Does not either, and no administrator sets it. */
  readonly uptimeMs: () => number;
  /**
   * Suspends shorter than this are not told apart from the steps in which the uptime is counted. Up to 20 ms are covered by the
   * fixed part of every hold's safety margin.
   */
  readonly stepMs: number;
}

/** A stopwatch that counts the time in which the machine was suspended (soundness 6). */
export function suspendAwareStopwatch({
  stopwatchMs,
  timeOfDayMs,
  uptimeMs,
  stepMs,
}: Timepieces): () => number {
  const asleepAtStart = uptimeMs() - stopwatchMs();
  let asleepMs = 0;
  let lookedAt = -Infinity;
  let askedAt = -Infinity;
  let apartMs = 0;

  function look(awakeMs: number): void {
    lookedAt = awakeMs;
    const apartNow = timeOfDayMs() - awakeMs;
    if (Math.abs(apartNow - apartMs) < MOVED_MS && awakeMs - askedAt < UPTIME_CHECK_MS) return;
    apartMs = apartNow;
    // The race: a busy machine stops the process between the two readings. With the stopwatch read first, as is tempting because it is
    // read already, that pause counts as a suspend, and every lease ends earlier by it. Read last, it hides as much of a suspend: so
    // the uptime is asked for again at the next look.
    const upMs = uptimeMs();
    const readMs = stopwatchMs();
    askedAt = readMs - awakeMs > stepMs ? -Infinity : awakeMs;
    const asleepNow = upMs - readMs - asleepAtStart;
    if (asleepNow - asleepMs > stepMs) asleepMs = asleepNow;
  }

  return () => {
    const awakeMs = stopwatchMs();
    if (awakeMs - lookedAt >= LOOK_MS) look(awakeMs);
    return awakeMs + asleepMs;
  };
}

function createSystemClock(): Clock {
  const now = suspendAwareStopwatch({
    stopwatchMs: () => performance.now(),
    timeOfDayMs: () => Date.now(),
    ...findUptime(),
  });
  const origin = performance.timeOrigin;
  const collected = new FinalizationRegistry<() => void>((call) => call());
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
    whenCollected: (target, call) => collected.register(target, call),
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
