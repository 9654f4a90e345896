import { expect, test } from 'vitest';
import type { Lock, Owner } from '../../../src/index.ts';
import type { JavaSide } from '../contenders.ts';
import { crowd, expectJavaWaitsInVain, passFromJavaToNode, passFromNodeToJava } from '../hand-overs.ts';
import type { NodeWaits } from '../node-waits.ts';

/** A lock of one of Spring's registries, in its JVM. */
export interface RegistryLock {
  lock(): Promise<void>;
  tryLock(ms?: number): Promise<boolean>;
  unlock(): Promise<void>;
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

function sideOf(lock: RegistryLock): JavaSide {
  return {
    acquire: () => lock.lock(),
    tryAcquire: (waitMs) => lock.tryLock(waitMs),
    release: () => lock.unlock(),
  };
}

/** What is the same for every registry, wherever it keeps its locks: hand-overs, exclusion, strangers and force. */
export function registryCases({ newName, java, node, nodeWaits, owner, refusal }: RegistryBench): void {
  test('Java holds, Node waits', async () => {
    const name = newName();
    const theirs = sideOf(java(name));
    await passFromJavaToNode({
      java: theirs,
      otherJava: sideOf(java(name)),
      node: node(name),
      waitMs: WAIT_MS,
      waits: (begin) => nodeWaits(name, begin),
    });
    expect(await theirs.tryAcquire()).toBe(true);
    await theirs.release();
  });

  test('Node holds, Java waits', async () => {
    const name = newName();
    const [theirs, ours] = [sideOf(java(name)), node(name)];
    const hold = await ours.acquire();
    expect(await theirs.tryAcquire()).toBe(false);
    await expectJavaWaitsInVain(theirs, WAIT_MS);
    const entering = theirs.acquire();
    // It leaves no trace: what it waits with is a look ten times a second, or one pattern for the whole registry.
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    await passFromNodeToJava({ java: theirs, node: ours }, hold, entering);
    const again = await ours.tryAcquire();
    expect(again).not.toBeNull();
    await again?.release();
  });

  test('three of each side, again and again: never two at once, and each acquires', async () => {
    const name = newName();
    const javas = [1, 2, 3].map(() => sideOf(java(name)));
    expect(await crowd(node(name), javas, 4)).toBe(24);
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

  test('Node breaks what Java holds: Java is refused, and Node acquires', async () => {
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
