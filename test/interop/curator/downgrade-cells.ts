import { expect, test } from 'vitest';
import { javaSide } from './sides.ts';
import type { CuratorStage } from './stage.ts';

/** Since 5.5 a read under a write has the position of the write (CURATOR-621). */
const keepsPosition = (stage: CuratorStage): boolean => stage.version !== 'curator-5-4';

export function downgradeCells(stage: () => CuratorStage): void {
  const sequences = async (path: string): Promise<readonly string[]> =>
    (await stage().ticketsBelow(path)).map((one) => one.slice(one.indexOf('__'))).toSorted();

  test('Node reads under its write: a waiting writer of Java waits for the read', async () => {
    const path = stage().newPath();
    const { read, write } = stage().locks.readWriteLock(path);
    const owner = stage().locks.owner();
    const writing = await write.acquire({ owner });
    const java = javaSide(stage().thread(), 'writeLock', path);
    const waiting = await stage().javaWaits(path, () => java.acquire());
    const reading = await read.acquire({ owner });
    await writing.release();
    expect(await sequences(path)).toEqual(['__READ__0000000000', '__WRIT__0000000001']);
    expect(await javaSide(stage().thread(), 'readLock', path).tryAcquire()).toBe(false);
    await reading.release();
    await waiting.outcome;
    await java.release();
  });

  test('Java reads under its write: a waiting writer of Node waits for the read since 5.5', async () => {
    const path = stage().newPath();
    const { write } = stage().locks.readWriteLock(path);
    const thread = stage().thread();
    const [writing, reading] = [
      javaSide(thread, 'writeLock', path),
      javaSide(thread, 'readLock', path),
    ] as const;
    await writing.acquire();
    const waiting = await stage().nodeWaits(path, () => write.acquire());
    await reading.acquire();
    await writing.release();
    const enter = async (): Promise<void> => (await waiting.outcome).release();
    const leave = (): Promise<void> => reading.release();
    // Before 5.5 the read stands behind the writer that waits, also where that is one of Java: nothing in the store says more.
    const [position, ...steps] = keepsPosition(stage()) ? ['0', leave, enter] : ['2', enter, leave];
    expect(await sequences(path)).toContain(`__READ__000000000${position}`);
    for (const step of steps) await step();
  });
}
