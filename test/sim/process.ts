import type { Clock, Timer } from 'holdfast';
import type { World } from './world.ts';

/**
 * A simulated process: what happens to it waits while it is paused, and never happens once it is dead. Its clock runs a
 * little fast or slow, and goes on while it is paused.
 */
export class Process {
  readonly name: string;
  readonly world: World;
  readonly clock: Clock;
  readonly #rate: number;
  readonly #startedAt: number;
  #dead = false;
  #waiting: (() => void)[] | undefined;

  constructor(world: World, name: string, rate: number) {
    this.world = world;
    this.name = name;
    this.#rate = rate;
    this.#startedAt = world.dice.between(1_000, 1_000_000);
    this.clock = {
      now: () => this.#startedAt + this.world.now * this.#rate,
      epochNow: () => this.#startedAt + this.world.now * this.#rate,
      timer: (delayMs, call) => this.#timer(delayMs, call),
    };
  }

  get dead(): boolean {
    return this.#dead;
  }

  get paused(): boolean {
    return this.#waiting !== undefined;
  }

  /** Something reaches this process. */
  happens(run: () => void): void {
    if (this.#dead) return;
    if (this.#waiting !== undefined) this.#waiting.push(run);
    else run();
  }

  pause(): void {
    if (this.#dead || this.paused) return;
    this.world.note(() => `${this.name} pauses`);
    this.#waiting = [];
  }

  resume(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.world.note(() => `${this.name} goes on`);
    this.#waiting = undefined;
    for (const run of waiting) this.world.after(0, () => this.happens(run));
  }

  kill(): void {
    this.world.note(() => `${this.name} is killed`);
    this.#dead = true;
    this.#waiting = undefined;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.clock.timer(ms, resolve));
  }

  #timer(delayMs: number, call: () => void): Timer {
    let live = true;
    // Never a moment early by a rounding error: a timer that fires before its time is set again, and again.
    const cancel = this.world.after(delayMs / this.#rate + 1e-6, () =>
      this.happens(() => {
        if (live) call();
      }),
    );
    return {
      cancel: () => {
        live = false;
        cancel();
      },
      keepsAlive: () => undefined,
    };
  }
}
