import { expect, test } from 'vitest';
import { waitFor } from '../../fixtures/wait-for.ts';
import { MS } from './curator.ts';
import { javaSide } from './sides.ts';
import type { CuratorStage } from './stage.ts';

const LONG_MS = 20_000;

/** Curator's revocation is a request: the revoker writes into the node of the holder, and the holder decides. */
export function revocationCells(stage: () => CuratorStage): void {
  test('a revocable holder of Java that is asked while Node waits: it hears, releases, and Node acquires', async () => {
    const path = stage().newPath();
    const holder = stage().thread();
    expect(await holder.call('revocableMutex', path, 'acquire', LONG_MS, MS)).toBe(true);
    const [ticket] = await stage().nodesOf('java', path);
    const waiting = await stage().nodeWaits(path, () => stage().locks.lock(path).acquire());
    await stage().thread().task('revoke', { path: ticket });
    await waitFor('Java hears', async () => (await holder.call('revocableMutex', path, 'revocations')) === 1);
    expect(await stage().nodesOf('node', path)).toHaveLength(1);
    await holder.call('revocableMutex', path, 'release');
    await (await waiting.outcome).release();
  });

  test('a hold of Node that Java asks for stays: it is neither lost nor released, and its own watch goes on', async () => {
    const path = stage().newPath();
    const lock = stage().watchful.lock(path);
    const hold = await lock.acquire();
    const java = javaSide(stage().thread(), 'lock', path);
    const waiting = await stage().javaWaits(path, () => java.acquire());
    const [ticket] = await stage().nodesOf('node', path);
    await waitFor('the hold watches its own node', async () => {
      return (await stage().ensemble.servers[0]!.ask('wchp')).split(ticket!).length > 1;
    });
    await stage().thread().task('revoke', { path: ticket });
    expect((await stage().raw.getData(ticket!)).data.toString()).toBe('__REVOKE__');
    hold.throwIfLost();
    expect(await lock.isLocked()).toBe(true);
    expect(await lock.holder()).toMatchObject({ fence: hold.fence });

    const lost = new Promise((resolve) => {
      hold.lost.addEventListener('abort', resolve);
    });
    await stage().thread().task('delete', { path: ticket });
    await lost;
    await waiting.outcome;
    await java.release();
  });

  test('a hold of Node that Java asks for is released as any other', async () => {
    const path = stage().newPath();
    const hold = await stage().locks.lock(path).acquire();
    const [ticket] = await stage().nodesOf('node', path);
    await stage().thread().task('revoke', { path: ticket });
    await hold.release();
    expect(await stage().ticketsBelow(path)).toEqual([]);
  });
}
