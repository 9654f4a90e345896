import { setTimeout as sleep } from 'node:timers/promises';
import { handsOf } from './hands.ts';
import type { Library, Release } from './library.ts';
import { sumOf } from './shares.ts';

/** How many processes wait, and how many waiters there are in all. */
export const WAITING_PROCESSES = 4;
export const IDLE_WAITERS = 200;

/** Waiters of several processes on one lock that this process holds. */
export interface IdleWaiters {
  /** The processor time that all of them have used so far, in microseconds. */
  cpuUs(): Promise<number>;
  letGo(): void;
  /** Kept for as long as the waiters wait: Holdfast releases a hold whose object was garbage-collected. */
  readonly release: Release;
}

/** Opens the waiters, and lets `settlesMs` pass: what it costs to begin to wait is not what waiting costs. */
export async function openIdleWaiters(
  { name, open }: Library,
  port: number,
  folder: string,
  settlesMs: number,
): Promise<IdleWaiters> {
  const holder = await open(port, folder);
  const release = await holder.acquire('idle');
  const hands = handsOf(WAITING_PROCESSES, 'waiters', name, port);
  await Promise.all(hands.map((hand) => hand.call('ask', 'idle', IDLE_WAITERS / WAITING_PROCESSES)));
  await sleep(settlesMs);
  return {
    release,
    cpuUs: async () => sumOf(await Promise.all(hands.map((hand) => hand.call('cpuUs')))),
    letGo: () => {
      for (const hand of hands) hand.letGo();
    },
  };
}
