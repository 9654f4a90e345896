import { expect, test } from 'vitest';
import type { Contenders } from '../contenders.ts';
import { crowd, expectJavaWaitsInVain, passFromJavaToNode, passFromNodeToJava } from '../hand-overs.ts';
import { JavaError } from '../java-program.ts';
import { contendedName, type Kind } from './kinds.ts';
import { javaSide, nodeSide, type Side } from './sides.ts';
import type { CuratorStage } from './stage.ts';

/** Less than any session. */
const SOON_MS = 6000;
/** Several round trips of a busy machine. */
const WAIT_MS = 1500;

interface Sides extends Contenders {
  readonly path: string;
}

function sidesOf(stage: CuratorStage, javaKind: Side, nodeKind: Side): Sides {
  const path = stage.newPath();
  return {
    path,
    java: javaSide(stage.thread(), javaKind, path),
    node: nodeSide(stage.locks, nodeKind, path),
  };
}

export function handOvers(stage: () => CuratorStage, { first, second }: Kind): void {
  test('Java holds, Node waits', async () => {
    const { path, java, node } = sidesOf(stage(), first, second);
    await passFromJavaToNode({
      java,
      otherJava: javaSide(stage().thread(), first, path),
      node,
      waitMs: WAIT_MS,
      waits: (begin) => stage().nodeWaits(contendedName(second, path), begin),
    });
    expect(await java.tryAcquire()).toBe(true);
    await java.release();
  });

  test('Node holds, Java waits', async () => {
    const { path, java, node } = sidesOf(stage(), second, first);
    const hold = await node.acquire();
    expect(await java.tryAcquire()).toBe(false);
    await expectJavaWaitsInVain(java, WAIT_MS);
    expect(await stage().nodesOf('java', path)).toEqual([]);
    const waiting = await stage().javaWaits(path, () => java.acquire());
    await passFromNodeToJava({ java, node }, hold, waiting.outcome);
    const again = await node.acquire({ timeoutMs: SOON_MS });
    await again.release();
    expect(await stage().ticketsBelow(path)).toEqual([]);
  });
}

export function crowds(stage: () => CuratorStage, { first }: Kind): void {
  test('three of each side, again and again: never two at once, and each acquires', async () => {
    const { path, node } = sidesOf(stage(), first, first);
    const javas = [1, 2, 3].map(() => javaSide(stage().thread(), first, path));
    expect(await crowd(node, javas, 5)).toBe(30);
    expect(await stage().ticketsBelow(path)).toEqual([]);
  });
}

export function strangers(stage: () => CuratorStage, { first, second }: Kind): void {
  test('what Node holds is not Java’s to release, and the other way round', async () => {
    const { path, java, node } = sidesOf(stage(), first, first);
    const hold = await node.acquire();
    await expect(java.release()).rejects.toMatchObject({ type: 'IllegalMonitorStateException' });
    hold.throwIfLost();
    const other = javaSide(stage().thread(), second, path);
    expect(await other.tryAcquire()).toBe(false);
    await hold.release();

    await java.acquire();
    const owner = stage().locks.owner();
    const releasing = (node as ReturnType<CuratorStage['locks']['lock']>).release(owner);
    await expect(releasing).rejects.toMatchObject({ code: 'NOT_HELD' });
    await java.release();
  });
}

/** Curator has no method that breaks a hold: an operator deletes its node. */
export function breaks(stage: () => CuratorStage, { first, second }: Kind): void {
  test('Java deletes the node of a hold of Node: hold.lost fires, and Java acquires', async () => {
    const path = stage().newPath();
    const java = javaSide(stage().thread(), second, path);
    const hold = await nodeSide(stage().watchful, first, path).acquire();
    const lost = new Promise((resolve) => {
      hold.lost.addEventListener('abort', resolve);
    });
    const waiting = await stage().javaWaits(path, () => java.acquire());
    const [ticket] = await stage().nodesOf('node', path);
    await stage().thread().task('delete', { path: ticket });
    await waiting.outcome;
    await lost;
    await expect(hold.release()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    await java.release();
  });

  test('Node breaks what Java holds: Node acquires, and Curator hears nothing of it', async () => {
    const { path, java } = sidesOf(stage(), first, first);
    const breakable = nodeSide(stage().locks, first, path) as ReturnType<CuratorStage['locks']['lock']>;
    const node = nodeSide(stage().locks, second, path);
    await java.acquire();
    const waiting = await stage().nodeWaits(path, () => node.acquire());
    expect(await breakable.isLocked()).toBe(true);
    expect(await breakable.forceRelease()).toBe(true);
    const hold = await waiting.outcome;
    // Curator looks at its own record of the thread, and takes a node that is gone for one that it has deleted.
    await java.release();
    await expect(java.release()).rejects.toThrow(JavaError);
    hold.throwIfLost();
    await hold.release();
  });
}
