import { performance } from 'node:perf_hooks';
import type { Clock, Timer } from 'holdfast';

/**
 * The clock of one worker. While it is stopped none of the worker's timers runs, and so nothing is renewed; time itself
 * goes on, and what was due meanwhile runs at once when the worker is let go. That is how a paused process sees it.
 */
export class StoppableClock implements Clock {
  #late: (() => void)[] = [];
  #stopped = false;

  now(): number {
    return performance.now();
  }

  epochNow(): number {
    return performance.timeOrigin + performance.now();
  }

  timer(delayMs: number, call: () => void): Timer {
    let cancelled = false;
    const ring = () => {
      if (cancelled) return;
      if (this.#stopped) this.#late.push(ring);
      else call();
    };
    const timeout = setTimeout(ring, delayMs).unref();
    return {
      cancel: () => {
        cancelled = true;
        clearTimeout(timeout);
      },
      keepsAlive: (yes) => void (yes ? timeout.ref() : timeout.unref()),
    };
  }

  stop(): void {
    this.#stopped = true;
  }

  goOn(): void {
    this.#stopped = false;
    const late = this.#late;
    this.#late = [];
    for (const ring of late) ring();
  }
}
