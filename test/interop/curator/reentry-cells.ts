import { expect, test } from 'vitest';
import type { Kind } from './kinds.ts';
import { javaSide, nodeSide } from './sides.ts';
import type { CuratorStage } from './stage.ts';

type NodeLock = ReturnType<CuratorStage['locks']['lock']>;

/** Each side counts its own re-entries: the store shows one node, whatever the count. */
export function reentry(stage: () => CuratorStage, { first, second }: Kind): void {
  test('Java enters twice: Node waits for the second release', async () => {
    const path = stage().newPath();
    const java = javaSide(stage().thread(), first, path);
    await java.acquire();
    await java.acquire();
    const [ticket, more] = await stage().nodesOf('java', path);
    expect(more).toBeUndefined();
    const waiting = await stage().nodeWaits(path, () => nodeSide(stage().locks, second, path).acquire());
    await java.release();
    expect(await stage().nodesOf('java', path)).toEqual([ticket]);
    await java.release();
    await (await waiting.outcome).release();
  });

  test('Node enters twice: Java waits for the second release', async () => {
    const path = stage().newPath();
    const lock = nodeSide(stage().locks, first, path) as NodeLock;
    const java = javaSide(stage().thread(), second, path);
    const owner = stage().locks.owner();
    const outer = await lock.acquire({ owner });
    const inner = await lock.acquire({ owner });
    expect(lock.holdCount(owner)).toBe(2);
    const [ticket, more] = await stage().nodesOf('node', path);
    expect(more).toBeUndefined();
    const waiting = await stage().javaWaits(path, () => java.acquire());
    await inner.release();
    expect(await stage().nodesOf('node', path)).toEqual([ticket]);
    await outer.release();
    await waiting.outcome;
    await java.release();
  });

  test('two threads of one JVM, and two owners of one Node client, exclude each other', async () => {
    const path = stage().newPath();
    const java = javaSide(stage().thread(), first, path);
    await java.acquire();
    expect(await javaSide(stage().thread(), second, path).tryAcquire()).toBe(false);
    await java.release();
    const hold = await nodeSide(stage().locks, first, path).acquire();
    expect(await nodeSide(stage().locks, second, path).tryAcquire()).toBeNull();
    await hold.release();
  });
}
