import { expect } from 'vitest';
import { memory, type MemoryOptions, MemoryStore } from '../../src/engines/memory/index.ts';
import { isHoldfastError, type Synchronizers } from '../../src/index.ts';
import { type HookedClient, hookedClient, type WireHooks } from '../fixtures/hooked-wire.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';

/** Where a schedule is played: one clock, one store, and the clients that have come on. */
export class Stage {
  readonly clock = new VirtualClock();
  readonly store = new MemoryStore(this.clock);
  readonly #clients: { close(): Promise<void> }[] = [];

  /** A client in the same process as the store. */
  near(label: string, options: MemoryOptions = {}): Synchronizers {
    return this.opened(memory({ clock: this.clock, store: this.store, label, ...options }));
  }

  /** A client of a store elsewhere. */
  far(label: string, hooks: WireHooks = {}, store = this.store): HookedClient {
    return this.opened(hookedClient(this.clock, store, label, hooks));
  }

  /** Closed when the schedule is over. */
  opened<C extends { close(): Promise<void> }>(client: C): C {
    this.#clients.push(client);
    return client;
  }

  async leave(): Promise<void> {
    for (const client of this.#clients) await client.close();
  }
}

/** Plays one schedule to its end, closes every client, and looks that no timer is left. */
export async function play(schedule: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = new Stage();
  await stage.clock.run(async () => {
    await schedule(stage);
    await stage.leave();
    expect(stage.clock.pending, 'a timer is left').toBe(0);
  });
}

/** The same schedule once for each number of microtasks in a range: what matters is between which two it happens. */
export async function sweep(
  upTo: number,
  schedule: (stage: Stage, microtasks: number) => Promise<void>,
): Promise<void> {
  for (let microtasks = 0; microtasks < upTo; microtasks++) {
    try {
      await play((stage) => schedule(stage, microtasks));
    } catch (cause) {
      throw new Error(`after ${microtasks} microtasks: ${String(cause)}`, { cause });
    }
  }
}

export async function passMicrotasks(count: number): Promise<void> {
  for (let passed = 0; passed < count; passed++) await Promise.resolve();
}

/** The code of the error that it rejects with, or what it resolves to: how it ended, whichever way. */
export function ending<T>(promise: Promise<T>): Promise<T | string> {
  return promise.catch((error: unknown) => {
    if (isHoldfastError(error)) return error.code;
    throw error;
  });
}

/** Takes and gives back another lock, so that the session is open and the clock of the store is known. */
export async function warmUp(client: Synchronizers): Promise<void> {
  await client.lock('warm').run(() => undefined);
}
