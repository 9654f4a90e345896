import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../../fixtures/wait-for.ts';
import { DocumentedDumps } from '../documented-dumps.ts';
import { describeCurator } from '../java-build.ts';
import { nodeDumpOf } from './node-dump.ts';
import { CuratorStage, startAlone } from './stage.ts';

const page = new DocumentedDumps('curator.md');
const LONG_MS = 20_000;

describeCurator('what docs/wire/curator.md shows', () => {
  let stage!: CuratorStage;
  beforeAll(async () => {
    // A container that the server removes between two steps would begin its sequence at zero again.
    const server = await startAlone({ java: ['-Dznode.container.checkIntervalMs=600000'] });
    stage = await CuratorStage.open('curator-5-9', server);
  });
  afterAll(() => stage?.close());

  const shown = async (title: string, ...paths: readonly string[]): Promise<string> =>
    page.told(title, await nodeDumpOf(stage.raw, ...paths));
  /** Nodes of one side, at least so many. */
  const stand = (side: 'java' | 'node', path: string, count: number) =>
    waitFor(`${count} of ${side} below ${path}`, async () => {
      return (await stage.nodesOf(side, path)).length >= count;
    });

  test('a lock', async () => {
    const path = '/orders';
    const [java, lock] = [stage.thread(), stage.locks.lock(path)];
    await java.call('mutex', path, 'acquire');
    const entering = lock.acquire();
    await stand('node', path, 1);
    expect(await shown('a lock that Java holds and Node waits for', path)).toBe(
      page.documented('a lock that Java holds and Node waits for'),
    );
    await java.call('mutex', path, 'release');
    const hold = await entering;
    const waiting = java.call('mutex', path, 'acquire');
    await stand('java', path, 1);
    expect(await shown('the same lock a little later: Node holds, Java waits', path)).toBe(
      page.documented('the same lock a little later: Node holds, Java waits'),
    );
    const [ticket] = await stage.nodesOf('node', path);
    await stage.thread().task('revoke', { path: ticket });
    expect(await shown('the same lock after Java has asked Node to give it up', path)).toBe(
      page.documented('the same lock after Java has asked Node to give it up'),
    );
    await hold.release();
    await waiting;
    await java.call('mutex', path, 'release');
  });

  test('a revocable lock', async () => {
    const java = stage.thread();
    await java.call('revocableMutex', '/revocable', 'acquire', LONG_MS, 'MILLISECONDS');
    expect(await shown('a revocable lock that Java holds', '/revocable')).toBe(
      page.documented('a revocable lock that Java holds'),
    );
    await java.call('revocableMutex', '/revocable', 'release');
  });

  test('a name that is no path', async () => {
    const hold = await stage.locks.lock('nightly run').acquire();
    expect(await shown('a lock of Node whose name is no path', '/holdfast/lock')).toBe(
      page.documented('a lock of Node whose name is no path'),
    );
    await hold.release();
  });

  test('a read-write lock', async () => {
    const path = '/config';
    const [reader, writer] = [stage.thread(), stage.thread()];
    const { read, write } = stage.locks.readWriteLock(path);
    await reader.call('readLock', path, 'acquire');
    const hold = await read.acquire();
    const writing = writer.call('writeLock', path, 'acquire');
    await stand('java', path, 2);
    const ours = write.acquire();
    await stand('node', path, 2);
    expect(await shown('a read-write lock: both read, a writer of each side waits', path)).toBe(
      page.documented('a read-write lock: both read, a writer of each side waits'),
    );
    await hold.release();
    await reader.call('readLock', path, 'release');
    await writing;
    await writer.call('readLock', path, 'acquire');
    expect(await shown('a writer of Java that has taken the read side, too', path)).toBe(
      page.documented('a writer of Java that has taken the read side, too'),
    );
    await writer.call('writeLock', path, 'release');
    await writer.call('readLock', path, 'release');
    await (await ours).release();

    const owner = stage.locks.owner();
    const mine = await write.acquire({ owner });
    const below = await read.acquire({ owner });
    await mine.release();
    expect(await shown('a writer of Node that has kept the read side', path)).toBe(
      page.documented('a writer of Node that has kept the read side'),
    );
    await below.release();
  });

  test('a semaphore', async () => {
    const path = '/uploads';
    const named = { path, permits: 2 };
    const [holder, waiter] = [stage.thread(), stage.thread()];
    const semaphore = stage.locks.semaphore(path, { permits: 2 });
    await holder.call('semaphore', named, 'acquire');
    const hold = await semaphore.acquire();
    const waiting = waiter.call('semaphore', named, 'acquire');
    await stand('java', `${path}/leases`, 2);
    const ours = semaphore.acquire();
    await stand('node', `${path}/locks`, 1);
    expect(await shown('a semaphore of two permits: one of each side holds, one of each waits', path)).toBe(
      page.documented('a semaphore of two permits: one of each side holds, one of each waits'),
    );
    await hold.release();
    await waiting;
    await waiter.call('semaphore', named, 'release');
    await (await ours).release();
    await holder.call('semaphore', named, 'release');
  });

  test('an election', async () => {
    const path = '/scheduler';
    const named = { path, id: 'java-1' };
    const java = stage.thread();
    const leadership = await stage.locks.election(path).campaign({ value: 'node-1' });
    await java.call('leaderLatch', named, 'start');
    await stand('java', path, 1);
    await leadership.proclaim('node-1, busy');
    expect(
      await shown(
        'an election that Node leads, and what it has proclaimed since',
        path,
        '/holdfast/proclaimed',
      ),
    ).toBe(page.documented('an election that Node leads, and what it has proclaimed since'));
    await leadership.resign();
    await java.call('leaderLatch', named, 'await', LONG_MS, 'MILLISECONDS');
    expect(await shown('the same election: Java leads', path)).toBe(
      page.documented('the same election: Java leads'),
    );
    await java.call('leaderLatch', named, 'close');
  });

  test('a LeaderSelector', async () => {
    const path = '/selected';
    const named = { path, id: 'java-1' };
    const java = stage.thread();
    await java.call('leaderSelector', named, 'start');
    await waitFor('Java leads', () => java.call('leaderSelector', named, 'hasLeadership'));
    const waiting = stage.locks.lock(path).acquire();
    await stand('node', path, 1);
    expect(await shown('a LeaderSelector that leads, and a lock of Node that waits for it', path)).toBe(
      page.documented('a LeaderSelector that leads, and a lock of Node that waits for it'),
    );
    await java.call('leaderSelector', named, 'resign');
    await (await waiting).release();
    await java.call('leaderSelector', named, 'close');
  });

  test('a latch', async () => {
    const path = '/ready';
    const named = { path, seed: 3 };
    const java = stage.thread();
    await java.call('sharedCount', named, 'start');
    expect(await shown('a SharedCount of Java', path)).toBe(page.documented('a SharedCount of Java'));
    await stage.locks.latch(path).countDown();
    expect(
      await shown('the same count after Node has counted it down as a latch', path, '/holdfast/latches'),
    ).toBe(page.documented('the same count after Node has counted it down as a latch'));
    await java.call('sharedCount', named, 'close');
  });
});
