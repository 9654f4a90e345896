import { type Hold, isHoldfastError } from '../../../src/index.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import type { FencedRegister } from './fenced-register.ts';
import { ForcedEnds } from './forced-ends.ts';
import { type LineClient, Overlaps } from './overlaps.ts';

const PROGRESS_DEADLINE_MS = 60_000;
/** Increments that show that a worker works again. */
const SOME = 3;

/** Workers that increment one number, each under the lock of its own client. */
export class Workers {
  readonly #register: FencedRegister;
  readonly #overlaps: Overlaps;
  readonly #done: number[];
  readonly #running: Promise<void>[];
  #isOver = false;

  constructor(
    clients: readonly LineClient[],
    name: string,
    register: FencedRegister,
    forced = new ForcedEnds(),
  ) {
    this.#register = register;
    this.#overlaps = new Overlaps(forced);
    this.#done = clients.map(() => 0);
    this.#running = clients.map((client, at) => this.#work(client, name, at));
  }

  /** Holders that believed in their hold while another one was in. */
  get overlaps(): readonly string[] {
    return this.#overlaps.found;
  }

  /** Until every worker has made some increments more: a waiter that is stuck fails this. */
  async workOn(): Promise<void> {
    const before = [...this.#done];
    for (const [at, done] of before.entries())
      await waitFor(`worker ${at} works`, () => this.#done[at]! >= done + SOME, PROGRESS_DEADLINE_MS);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  async #work(client: LineClient, name: string, at: number): Promise<void> {
    const lock = client.locks.lock(name);
    while (!this.#isOver) {
      try {
        const hold = await lock.acquire({ timeoutMs: 5000 });
        try {
          await this.#increment(client, hold, at);
        } finally {
          await hold.release();
        }
      } catch (error) {
        if (!isHoldfastError(error)) throw error;
        // A refusal at once, as while there is no session, must not starve the timers that end it.
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
  }

  async #increment(client: LineClient, hold: Hold, at: number): Promise<void> {
    const leave = this.#overlaps.enter(client, hold);
    try {
      const value = this.#register.read(hold.fence);
      if (value === undefined) return;
      await new Promise((resolve) => setTimeout(resolve, 2));
      hold.throwIfLost();
      if (this.#register.write(hold.fence, value + 1)) this.#done[at]! += 1;
    } finally {
      leave();
    }
  }
}
