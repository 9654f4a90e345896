import { expect, test } from 'vitest';
import type { Lock, Owner } from '../../../src/index.ts';
import type { NodeWaits } from '../node-waits.ts';

/** A lock of one of Spring's registries, in its JVM. */
export interface RegistryLock {
  lock(): Promise<unknown>;
  tryLock(ms?: number): Promise<boolean>;
  unlock(): Promise<unknown>;
}

/** Both sides of a registry whose locks last longer than any case. */
export interface RegistryBench {
  readonly newName: () => string;
  /** A thread of its own each time. */
  readonly java: (name: string) => RegistryLock;
  readonly node: (name: string) => Lock;
  /** Begins something that waits in this process, and resolves once it does, to the promise of its outcome. */
  readonly nodeWaits: NodeWaits['begin'];
  readonly owner: () => Owner;
  /** What Java says of an unlock by a thread that has not locked. */
  readonly refusal: string;
}

/** Of which the store may owe an answer for a quarter before the wait counts as an outage, also on a busy machine. */
const WAIT_MS = 1_000;
const SOON_MS = 6000;
const TOLERANCE_MS = 30;

/** What is the same for every registry, wherever it keeps its locks: hand-overs, exclusion, strangers and force. */
export function registryCases({ newName, java, node, nodeWaits, owner, refusal }: RegistryBench): void {
  test('Java holds, Node waits', async () => {
    const name = newName();
    const [theirs, ours] = [java(name), node(name)];
    await theirs.lock();
    expect(await ours.tryAcquire()).toBeNull();
    expect(await ours.tryAcquire({ timeoutMs: WAIT_MS })).toBeNull();
    await expect(ours.acquire({ timeoutMs: WAIT_MS })).rejects.toMatchObject({ code: 'ACQUIRE_TIMEOUT' });
    const waiting = await nodeWaits(name, () => ours.acquire());
    const releasedAt = performance.now();
    await theirs.unlock();
    const hold = await waiting.outcome;
    expect(performance.now() - releasedAt).toBeLessThan(SOON_MS);
    expect(await java(name).tryLock()).toBe(false);
    await hold.release();
    expect(await theirs.tryLock()).toBe(true);
    await theirs.unlock();
  });

  test('Node holds, Java waits', async () => {
    const name = newName();
    const [theirs, ours] = [java(name), node(name)];
    const hold = await ours.acquire();
    expect(await theirs.tryLock()).toBe(false);
    const askedAt = performance.now();
    expect(await theirs.tryLock(WAIT_MS)).toBe(false);
    expect(performance.now() - askedAt).toBeGreaterThan(WAIT_MS - TOLERANCE_MS);
    const entering = theirs.lock();
    // It leaves no trace: what it waits with is a look ten times a second, or one pattern for the whole registry.
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    const releasedAt = performance.now();
    await hold.release();
    await entering;
    expect(performance.now() - releasedAt).toBeLessThan(SOON_MS);
    expect(await ours.tryAcquire()).toBeNull();
    await theirs.unlock();
    const again = await ours.tryAcquire();
    expect(again).not.toBeNull();
    await again?.release();
  });

  test('three of each side, again and again: never two at once, and each acquires', async () => {
    const name = newName();
    let inside = 0;
    let turns = 0;
    const section = async (): Promise<void> => {
      inside += 1;
      expect(inside).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
      turns += 1;
    };
    const ofJava = async (): Promise<void> => {
      const theirs = java(name);
      for (let turn = 0; turn < 4; turn += 1) {
        await theirs.lock();
        await section();
        await theirs.unlock();
      }
    };
    const ofNode = async (): Promise<void> => {
      for (let turn = 0; turn < 4; turn += 1) await node(name).run(section);
    };
    await Promise.all([ofJava(), ofNode(), ofJava(), ofNode(), ofJava(), ofNode()]);
    expect(turns).toBe(24);
  });

  test('what Node holds is not Java’s to unlock, and the other way round', async () => {
    const name = newName();
    const [theirs, ours] = [java(name), node(name)];
    const hold = await ours.acquire();
    await expect(theirs.unlock()).rejects.toMatchObject({ type: refusal });
    hold.throwIfLost();
    await hold.release();
    await theirs.lock();
    await expect(ours.release(owner())).rejects.toMatchObject({ code: 'NOT_HELD' });
    await theirs.unlock();
  });

  test('Node breaks what Java holds: Java is refused, and Node gets in', async () => {
    const name = newName();
    const [theirs, ours] = [java(name), node(name)];
    await theirs.lock();
    const waiting = await nodeWaits(name, () => ours.acquire());
    expect(await ours.forceRelease()).toBe(true);
    const hold = await waiting.outcome;
    await expect(theirs.unlock()).rejects.toMatchObject({ type: 'ConcurrentModificationException' });
    await hold.release();
    expect(await ours.forceRelease()).toBe(false);
  });
}
