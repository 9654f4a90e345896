import { expect, test } from 'vitest';
import { waitFor } from '../../fixtures/wait-for.ts';
import { describeJava } from '../java-build.ts';
import { renewed } from '../renewed.ts';
import { MS } from './redisson.ts';
import { BRIEF_MS, interopStage } from './stage.ts';

// What Redisson's own tests assert between its threads, asserted here between a Java thread and Node.
const TOLERANCE_MS = 30;

describeJava.concurrent('RedissonReadWriteLockTest', () => {
  const stage = interopStage({ version: 'redisson-4', topology: 'single server', client: 'node-redis' });

  test('testReadLockExpiration', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    const { read, write } = stage().locks.readWriteLock(name);
    const askedAt = performance.now();
    await java.call('readLock', name, 'lock', 1500, MS);
    const shorter = await read.acquire({ leaseMs: 700 });
    await shorter.release();
    const hold = await write.acquire({ timeoutMs: 15_000 });
    expect(performance.now() - askedAt).toBeGreaterThan(1500 - TOLERANCE_MS);
    await hold.release();
  });

  test('testReadLockLeaseTimeoutDiffThreadsRRW', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    const { read } = stage().locks.readWriteLock(name);
    const askedAt = performance.now();
    await read.acquire({ leaseMs: 1500 });
    await java.call('readLock', name, 'lock');
    await java.call('readLock', name, 'unlock');
    await stage().thread().call('writeLock', name, 'lock');
    expect(performance.now() - askedAt).toBeGreaterThan(1500 - TOLERANCE_MS);
  });

  test('testReadLockLeaseTimeoutDiffThreadsWRR', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    const { read } = stage().locks.readWriteLock(name);
    await java.call('writeLock', name, 'lock', 1000, MS);
    const holds = await Promise.all([
      read.acquire({ timeoutMs: 15_000 }),
      stage().thread().call('readLock', name, 'tryLock', 15_000, MS),
    ]);
    expect(holds[1]).toBe(true);
    holds[0].throwIfLost();
  });

  test('testReadLockIsLocked', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    const { read, write } = stage().locks.readWriteLock(name);
    await write.run(async () => {
      expect(await java.call('readLock', name, 'isLocked')).toBe(false);
      expect(await java.call('writeLock', name, 'isLocked')).toBe(true);
      await read.run(async () => {
        expect(await java.call('readLock', name, 'isLocked')).toBe(true);
      });
    });
    expect(await java.call('writeLock', name, 'isLocked')).toBe(false);
  });

  test('testName', async () => {
    const name = `{test}:abc:${stage().newName()}`;
    const { read, write } = stage().locks.readWriteLock(name);
    const threads = [1, 2, 3].map(() => stage().thread());
    const ofJava = async (at: number): Promise<void> => {
      for (let turn = 0; turn < 10; turn += 1) {
        await threads[at]?.call('readLock', name, 'lock');
        await threads[at]?.call('readLock', name, 'unlock');
      }
    };
    const ofNode = async (): Promise<void> => {
      for (let turn = 0; turn < 10; turn += 1) await read.run(() => undefined);
    };
    await Promise.all([ofJava(0), ofNode(), ofJava(1), ofNode(), ofJava(2), ofNode()]);
    await write.run(async () => {
      expect(await threads[0]?.call('readLock', name, 'tryLock')).toBe(false);
    });
  });

  test('testWriteLockExpiration', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    const { write } = stage().locks.readWriteLock(name);
    await java.call('writeLock', name, 'lock', 10_000, MS);
    await java.call('writeLock', name, 'lock', 1000, MS);
    expect(await write.remainingMs()).toBeGreaterThan(5000);
    expect(await write.tryAcquire({ timeoutMs: 1200 })).toBeNull();
    await java.call('writeLock', name, 'forceUnlock');
  });

  test('testWR', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    const { read, write } = stage().locks.readWriteLock(name);
    await java.call('writeLock', name, 'lock');
    await java.call('readLock', name, 'lock');
    await java.call('readLock', name, 'unlock');
    expect(await write.isLocked()).toBe(true);
    expect(await read.tryAcquire()).toBeNull();
    await java.call('writeLock', name, 'unlock');
    expect(await write.isLocked()).toBe(false);
    await read.run(() => undefined);
  });

  test('testWriteRead', async () => {
    const name = stage().newName();
    const { read, write } = stage().brief.readWriteLock(name);
    const writing = await write.acquire();
    let inside = 0;
    const threads = Array.from({ length: 8 }, () => stage().briefThread());
    const ofJava = threads.map(async (java) => {
      await java.call('readLock', name, 'lock');
      inside += 1;
      await waitFor('all read at once', () => inside === 16);
      await java.call('readLock', name, 'unlock');
    });
    const ofNode = Array.from({ length: 8 }, async () => {
      const hold = await read.acquire();
      inside += 1;
      await waitFor('all read at once', () => inside === 16);
      await hold.release();
    });
    await waitFor('Java waits', () => stage().isListened(`redisson_rwlock:{${name}}`, name));
    await writing.release();
    await Promise.all([...ofJava, ...ofNode]);
    expect(await write.tryAcquire()).not.toBeNull();
  });

  test('testWriteReadReentrancy', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    const { read, write } = stage().locks.readWriteLock(name);
    await java.call('writeLock', name, 'lock');
    expect(await java.call('readLock', name, 'tryLock')).toBe(true);
    expect(await read.tryAcquire()).toBeNull();
    await java.call('writeLock', name, 'unlock');
    // What is left is a reader: others may read, and no client may write.
    const reading = await read.tryAcquire();
    expect(reading).not.toBeNull();
    expect(await write.tryAcquire()).toBeNull();
    await java.call('readLock', name, 'unlock');
    await reading?.release();
    await write.run(() => undefined);
  });

  test('testWriteReadReentrancy, by Node: Java readers are woken', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    const { read, write } = stage().locks.readWriteLock(name);
    const owner = stage().locks.owner();
    const writing = await write.acquire({ owner });
    const reading = await read.acquire({ owner });
    const waiting = await stage().javaWaits(`redisson_rwlock:{${name}}`, name, () =>
      java.call('readLock', name, 'tryLock', 5000, MS),
    );
    await waitFor('Java sleeps', () => java.isParked());
    await writing.release();
    expect(await waiting.outcome).toBe(true);
    expect(await stage().thread().call('writeLock', name, 'tryLock')).toBe(false);
    await reading.release();
    await java.call('readLock', name, 'unlock');
  });

  test('testMultiRead', async () => {
    const [name, java, writer] = [stage().newName(), stage().thread(), stage().thread()];
    const { read, write } = stage().locks.readWriteLock(name);
    await java.call('readLock', name, 'lock');
    const hold = await read.acquire();
    expect(await writer.call('writeLock', name, 'tryLock')).toBe(false);
    expect(await write.tryAcquire()).toBeNull();
    await java.call('readLock', name, 'unlock');
    expect(await writer.call('writeLock', name, 'tryLock')).toBe(false);
    expect(await write.tryAcquire()).toBeNull();
    await hold.release();
    expect(await java.call('readLock', name, 'forceUnlock')).toBe(false);
    expect(await writer.call('writeLock', name, 'tryLock')).toBe(true);
    await writer.call('writeLock', name, 'unlock');
  });

  test('testForceUnlock', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    const { read, write } = stage().locks.readWriteLock(name);
    const reading = await read.acquire();
    expect(await java.call('writeLock', name, 'forceUnlock')).toBe(false);
    expect(await write.forceRelease()).toBe(false);
    reading.throwIfLost();
    expect(await java.call('readLock', name, 'isLocked')).toBe(true);
    await reading.release();
    await java.call('writeLock', name, 'lock');
    expect(await read.forceRelease()).toBe(false);
    expect(await java.call('readLock', name, 'forceUnlock')).toBe(false);
    expect(await write.isLocked()).toBe(true);
    await java.call('writeLock', name, 'unlock');
  });

  test('testReadWriteTTL', async () => {
    const [name, java] = [stage().newName(), stage().briefThread()];
    await java.call('writeLock', name, 'lock');
    await java.call('readLock', name, 'lock');
    await renewed(() => stage().servers.ttl(name));
    await java.call('writeLock', name, 'unlock');
    await renewed(() => stage().servers.ttl(name));
    expect(await stage().locks.readWriteLock(name).write.tryAcquire()).toBeNull();
    await java.call('readLock', name, 'unlock');
  });

  test('testMultiInstanceReadLockZombieCleanup', async () => {
    const name = stage().newName();
    const { read, write } = stage().brief.readWriteLock(name);
    await using mortal = await stage().startJava();
    await mortal.thread(1).call('readLock', name, 'lock');
    await mortal.kill();
    const reading = await read.acquire();
    const server = await stage().server(name);
    // Longer than the dead reader's lease; its hold key goes, and its field stays in the hash until a client leaves.
    await waitFor(
      'only our own hold is left',
      async () => ((await server.command('KEYS', `{${name}}:*:rwlock_timeout:*`)) as string[]).length === 1,
      BRIEF_MS + 10_000,
    );
    expect(await write.tryAcquire()).toBeNull();
    await reading.release();
    const hold = await write.tryAcquire({ timeoutMs: 5000 });
    expect(hold).not.toBeNull();
    await hold?.release();
  });

  test('a renewal by Redisson cuts the longer lease of another reader in the hash, not the hold of ours', async () => {
    const [name, java] = [stage().newName(), stage().briefThread()];
    const { read, write } = stage().locks.readWriteLock(name);
    const hold = await read.acquire({ leaseMs: 60_000 });
    await java.call('readLock', name, 'lock');
    await waitFor('Redisson has cut it', async () => (await stage().servers.ttl(name)) <= BRIEF_MS);
    await java.call('readLock', name, 'unlock');
    // The longest hold counts again as soon as a reader has left.
    expect(await stage().servers.ttl(name)).toBeGreaterThan(BRIEF_MS);
    expect(await write.tryAcquire()).toBeNull();
    await hold.release();
  });
});
