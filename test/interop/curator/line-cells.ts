import { expect, test } from 'vitest';
import { waitFor } from '../../fixtures/wait-for.ts';
import { javaSide, nodeSide } from './sides.ts';
import type { CuratorStage } from './stage.ts';

const LONG_MS = 20_000;

/** One line for both sides, whichever of our two locks Node uses. */
export function lineCells(stage: () => CuratorStage): void {
  const tickets = async (path: string): Promise<number> => (await stage().ticketsBelow(path)).length;

  test('both sides stand in one line and are served in its order', async () => {
    const path = stage().newPath();
    const hold = await stage().locks.fairLock(path).acquire();
    const entered: string[] = [];
    const line = ['Java 1', 'Node 1', 'Java 2', 'Java 3', 'Node 2', 'Node 3', 'Java 4', 'Node 4'];
    const asked: Promise<void>[] = [];
    for (const who of line) {
      asked.push(who.startsWith('Java') ? ofJava(who) : ofNode(who));
      const length = asked.length + 1;
      await waitFor(`${who} stands in line`, async () => (await tickets(path)) === length);
    }
    await hold.release();
    await Promise.all(asked);
    expect(entered).toEqual(line);

    async function ofJava(who: string): Promise<void> {
      const java = javaSide(stage().thread(), 'fairLock', path);
      await java.acquire();
      entered.push(who);
      await java.release();
    }
    async function ofNode(who: string): Promise<void> {
      const mine = await stage().locks.fairLock(path).acquire();
      entered.push(who);
      await mine.release();
    }
  });

  test('waiters of both sides that give up leave the line, and those behind them acquire', async () => {
    const path = stage().newPath();
    const holder = javaSide(stage().thread(), 'lock', path);
    await holder.acquire();
    const abort = new AbortController();
    const reason = new Error('no longer wanted');
    const aborted = stage().locks.fairLock(path).acquire({ signal: abort.signal });
    await waitFor('Node waits', async () => (await tickets(path)) === 2);
    const interrupted = stage().thread();
    const waiting = await stage().javaWaits(path, () => interrupted.call('mutex', path, 'acquire'));
    const node = stage().locks.fairLock(path).acquire({ timeoutMs: LONG_MS });
    await waitFor('Node waits behind Java', async () => (await tickets(path)) === 4);
    const last = javaSide(stage().thread(), 'lock', path);
    const entering = await stage().javaWaits(path, () => last.acquire());

    abort.abort(reason);
    await expect(aborted).rejects.toBe(reason);
    await interrupted.interrupt();
    await expect(waiting.outcome).rejects.toMatchObject({ type: 'InterruptedException' });
    await waitFor('both have left', async () => (await tickets(path)) === 3);
    await holder.release();
    await (await node).release();
    await entering.outcome;
    await last.release();
    expect(await tickets(path)).toBe(0);
  });

  test('readers of both sides hold together, and a waiting writer of either keeps out the readers behind it', async () => {
    const path = stage().newPath();
    const { read, write } = stage().locks.readWriteLock(path);
    const java = javaSide(stage().thread(), 'readLock', path);
    const ours = await read.acquire();
    expect(await java.tryAcquire()).toBe(true);
    const writer = javaSide(stage().thread(), 'writeLock', path);
    const writing = await stage().javaWaits(path, () => writer.acquire());
    const reading = await stage().nodeWaits(path, () => read.acquire());
    const second = await stage().nodeWaits(path, () => write.acquire());
    expect(await javaSide(stage().thread(), 'readLock', path).tryAcquire()).toBe(false);
    await ours.release();
    await java.release();
    await writing.outcome;
    await writer.release();
    await (await reading.outcome).release();
    await (await second.outcome).release();
  });

  test('each side shows the participants of the other', async () => {
    const path = stage().newPath();
    const thread = stage().thread();
    const lock = stage().locks.lock(path);
    const hold = await lock.acquire();
    const waiting = await stage().javaWaits(path, () => thread.call('mutex', path, 'acquire'));
    await stage().catchUp();
    const participants = (await stage().thread().call('mutex', path, 'getParticipantNodes')) as string[];
    expect(participants).toEqual(await stage().ticketsBelow(path));
    expect(await lock.waiters()).toBe(1);
    await hold.release();
    await waiting.outcome;
    const [theirs] = await stage().nodesOf('java', path);
    const stat = await stage().raw.exists(theirs!);
    expect(await lock.holder()).toMatchObject({ fence: stat!.czxid * 64n });
    await thread.call('mutex', path, 'release');
    expect(await lock.holder()).toBeNull();
  });

  test('names without a leading slash, a namespace and a chroot are where Curator finds them', async () => {
    const { raw, ensemble } = stage();
    await raw.create('/rooted').catch(() => undefined);
    await stage().catchUp();
    const servers = `${ensemble.address}/rooted`;
    const locks = stage().openLocks({ servers, namespace: 'app' });
    await using java = await stage().startJava({ servers, namespace: 'app' });
    await using plain = await stage().startJava();
    for (const [name, path] of [
      ['/orders', '/orders'],
      ['nightly run', '/holdfast/lock/nightly%20run'],
    ] as const) {
      const hold = await locks.lock(name).acquire();
      expect(await javaSide(java.thread(), 'lock', path).tryAcquire()).toBe(false);
      expect(await javaSide(plain.thread(), 'lock', `/rooted/app${path}`).tryAcquire()).toBe(false);
      expect(await javaSide(plain.thread(), 'lock', path).tryAcquire()).toBe(true);
      await hold.release();
      const holder = javaSide(java.thread(), 'lock', path);
      expect(await holder.tryAcquire()).toBe(true);
      expect(await nodeSide(locks, 'lock', name).tryAcquire()).toBeNull();
      await holder.release();
    }
  });
}
