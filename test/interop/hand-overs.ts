import { expect } from 'vitest';
import { slowness } from '../engines/slowness.ts';
import type { Contenders, JavaSide, NodeHold, NodeSide } from './contenders.ts';

/** Less than any lease, any session and any pause between two looks: the client that is in by then was woken. */
const SOON_MS = 6000;
/** Timers are early by a part of a millisecond, and the clocks of two processes are read at different times. */
export const TOLERANCE_MS = 30;

/** Java holds, Node waits: attempts fail, waits end in time, and a release wakes the waiter. `waits` begins a wait that is seen. */
export async function passFromJavaToNode({
  java,
  otherJava,
  node,
  waitMs,
  waits,
}: Contenders & {
  /** Another thread, which must be refused while Node holds. */
  readonly otherJava: JavaSide;
  readonly waitMs: number;
  readonly waits: (begin: () => Promise<NodeHold>) => Promise<{ readonly outcome: Promise<NodeHold> }>;
}): Promise<void> {
  // A server that does not get a core for the whole wait has not answered, and the wait ends as an outage.
  const timeoutMs = waitMs * slowness;
  await java.acquire();
  expect(await node.tryAcquire()).toBeNull();
  const askedAt = performance.now();
  expect(await node.tryAcquire({ timeoutMs })).toBeNull();
  expect(performance.now() - askedAt).toBeGreaterThan(timeoutMs - TOLERANCE_MS);
  await expect(node.acquire({ timeoutMs })).rejects.toMatchObject({ code: 'ACQUIRE_TIMEOUT' });
  const waiting = await waits(() => node.acquire());

  const releasedAt = performance.now();
  await java.release();
  const hold = await waiting.outcome;
  expect(performance.now() - releasedAt).toBeLessThan(SOON_MS);
  expect(await otherJava.tryAcquire()).toBe(false);
  await hold.release();
}

/** Java asks for as long as is said for what Node holds. */
export async function expectJavaWaitsInVain(java: JavaSide, waitMs: number): Promise<void> {
  const askedAt = performance.now();
  expect(await java.tryAcquire(waitMs)).toBe(false);
  expect(performance.now() - askedAt).toBeGreaterThan(waitMs - TOLERANCE_MS);
}

/** Node holds, Java waits: the release of Node wakes Java, and Node is refused until Java has released. */
export async function passFromNodeToJava(
  { java, node }: Contenders,
  hold: NodeHold,
  javaWaits: Promise<unknown>,
): Promise<void> {
  const releasedAt = performance.now();
  await hold.release();
  await javaWaits;
  expect(performance.now() - releasedAt).toBeLessThan(SOON_MS);
  expect(await node.tryAcquire()).toBeNull();
  await java.release();
}

/** Three of each side, again and again: never two at once. Returns how often they had it. */
export async function crowd(node: NodeSide, javas: readonly JavaSide[], rounds: number): Promise<number> {
  let inside = 0;
  let turns = 0;
  const section = async (): Promise<void> => {
    inside += 1;
    expect(inside).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    inside -= 1;
    turns += 1;
  };
  const ofJava = async (java: JavaSide): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) {
      await java.acquire();
      await section();
      await java.release();
    }
  };
  const ofNode = async (): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) {
      const hold = await node.acquire();
      await section();
      await hold.release();
    }
  };
  await Promise.all(javas.flatMap((java) => [ofJava(java), ofNode()]));
  return turns;
}
