import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RedisSynchronizers } from '../../../src/engines/redis/index.ts';
import type { FencedLock } from '../../../src/index.ts';
import { type ClientName, openLocks } from '../../faults/redis/open-locks.ts';
import { waitFor } from '../../fixtures/redis/wait-for.ts';
import { describeJava } from '../java-build.ts';
import { startNode } from '../node-program.ts';
import { renewed } from '../renewed.ts';
import { Servers, type Topology } from '../servers.ts';
import { type RegistrySettings, Spring, type SpringType, type SpringVersion } from './spring.ts';

export interface SpringSetting {
  readonly version: SpringVersion;
  readonly topology: Topology;
  readonly client: ClientName;
}

const TYPES: readonly SpringType[] = ['spin', 'pubSub'];
const LONG_MS = 60_000;
const BRIEF_MS = 2000;
const SHORT_MS = 900;
const WAIT_MS = 250;
const SOON_MS = 6000;
const TOLERANCE_MS = 30;
const GRACE_MS = 5000;
/** Ours has no dashes. */
const JAVA_ID = /^[0-9a-f]{8}-/;

const registryKeyOf = (type: SpringType): string => `registry-${type}`;

/** For each type: one that lasts, one that is renewed, and one whose locks end while they are held. */
const REGISTRIES: readonly RegistrySettings[] = TYPES.flatMap((type) => {
  const registryKey = registryKeyOf(type);
  return [
    { registryKey, type, expireAfter: LONG_MS, renewed: false },
    { registryKey, type, expireAfter: BRIEF_MS, renewed: true },
    { registryKey, type, expireAfter: SHORT_MS, renewed: false },
  ];
});

/** Both types of lock in both directions, with one version of Spring Integration, one kind of servers and one client. */
export function springTable({ version, topology, client }: SpringSetting): void {
  describeJava(`${version}, ${topology}, ${client}`, () => {
    let servers: Servers;
    let java: Spring;
    let locks: RedisSynchronizers;
    let names = 0;
    const contended = new Map<string, number>();
    beforeAll(async () => {
      servers = await Servers.start(topology);
      java = await Spring.start(version, servers.place, REGISTRIES);
      locks = await openLocks(client, servers.place);
      locks.on('contended', ({ name }) => contended.set(name, (contended.get(name) ?? 0) + 1));
    });
    afterAll(async () => {
      await java?.kill();
      await locks?.close();
      await servers?.stop();
    });

    // In a cluster the lock and its companions must lie together.
    const newKey = (): string => `{key ${(names += 1)}}`;
    const fullKey = (type: SpringType, lockKey: string): string => `${registryKeyOf(type)}:${lockKey}`;
    const nodeLock = (type: SpringType, lockKey: string, renewalLeaseMs = LONG_MS): FencedLock =>
      locks.springLock(registryKeyOf(type), lockKey, { type, renewalLeaseMs });
    const usual = (type: SpringType) => ({ type, expireAfter: LONG_MS });
    const nodeWaits = async <T>(key: string, begin: () => Promise<T>): Promise<{ outcome: Promise<T> }> => {
      const before = contended.get(key) ?? 0;
      const outcome = begin();
      outcome.catch(() => undefined);
      await waitFor('somebody waits in Node', () => (contended.get(key) ?? 0) > before);
      return { outcome };
    };

    describe.concurrent.each(TYPES)('%s', (type) => {
      test('Java holds, Node waits', async () => {
        const key = newKey();
        const theirs = java.lock(usual(type), key);
        const ours = nodeLock(type, key);
        await theirs.lock();
        expect(await ours.tryAcquire()).toBeNull();
        expect(await ours.tryAcquire({ timeoutMs: WAIT_MS })).toBeNull();
        await expect(ours.acquire({ timeoutMs: WAIT_MS })).rejects.toMatchObject({ code: 'ACQUIRE_TIMEOUT' });
        const waiting = await nodeWaits(fullKey(type, key), () => ours.acquire());
        const releasedAt = performance.now();
        await theirs.unlock();
        const hold = await waiting.outcome;
        expect(performance.now() - releasedAt).toBeLessThan(SOON_MS);
        expect(await java.lock(usual(type), key).tryLock()).toBe(false);
        await hold.release();
        expect(await theirs.tryLock()).toBe(true);
        await theirs.unlock();
      });

      test('Node holds, Java waits', async () => {
        const key = newKey();
        const theirs = java.lock(usual(type), key);
        const ours = nodeLock(type, key);
        const hold = await ours.acquire();
        expect(await theirs.tryLock()).toBe(false);
        const askedAt = performance.now();
        expect(await theirs.tryLock(WAIT_MS)).toBe(false);
        expect(performance.now() - askedAt).toBeGreaterThan(WAIT_MS - TOLERANCE_MS);
        const entering = theirs.lock();
        // It has no other trace: what it waits with is a look every 100 ms, or one pattern for the whole registry.
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

      test('three of each side, again and again: never two at once, and everybody is served', async () => {
        const key = newKey();
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
          const theirs = java.lock(usual(type), key);
          for (let turn = 0; turn < 4; turn += 1) {
            await theirs.lock();
            await section();
            await theirs.unlock();
          }
        };
        const ofNode = async (): Promise<void> => {
          for (let turn = 0; turn < 4; turn += 1) await nodeLock(type, key).run(section);
        };
        await Promise.all([ofJava(), ofNode(), ofJava(), ofNode(), ofJava(), ofNode()]);
        expect(turns).toBe(24);
      });

      test('a time that Java lets run out: Node gets in then, and Java is refused', async () => {
        const key = newKey();
        const theirs = java.lock({ type, expireAfter: SHORT_MS }, key);
        const askedAt = performance.now();
        await theirs.lock();
        const hold = await nodeLock(type, key).acquire({ timeoutMs: 20_000 });
        expect(performance.now() - askedAt).toBeGreaterThan(SHORT_MS - TOLERANCE_MS);
        await expect(theirs.unlock()).rejects.toMatchObject({ type: 'ConcurrentModificationException' });
        hold.throwIfLost();
        await hold.release();
      });

      test('a lease that Node lets run out: Java gets in then, and Node is told before', async () => {
        const key = newKey();
        // A bounded wait, because an unbounded one looks again when its own time of expiry has passed.
        const theirs = java.lock({ type, expireAfter: SHORT_MS }, key);
        const askedAt = performance.now();
        const hold = await nodeLock(type, key).acquire({ leaseMs: SHORT_MS });
        await theirs.lock();
        expect(performance.now() - askedAt).toBeGreaterThan(SHORT_MS - TOLERANCE_MS);
        expect(hold.lost.aborted).toBe(true);
        await expect(hold.release()).rejects.toMatchObject({ code: 'LEASE_LOST' });
      });

      test('Java renews what it holds, and Node stays out', async () => {
        const key = newKey();
        const theirs = java.lock({ type, renewed: true }, key);
        await theirs.lock();
        await renewed(() => servers.ttl(fullKey(type, key)));
        expect(await nodeLock(type, key).tryAcquire()).toBeNull();
        await theirs.unlock();
        await (await nodeLock(type, key).acquire({ timeoutMs: 20_000 })).release();
      });

      test('Node renews what it holds, and Java stays out', async () => {
        const key = newKey();
        const hold = await nodeLock(type, key, BRIEF_MS).acquire();
        await renewed(() => servers.ttl(fullKey(type, key)));
        expect(await java.lock(usual(type), key).tryLock()).toBe(false);
        await hold.release();
      });

      test('what Node holds is not Java’s to unlock, and the other way round', async () => {
        const key = newKey();
        const theirs = java.lock(usual(type), key);
        const ours = nodeLock(type, key);
        const hold = await ours.acquire();
        await expect(theirs.unlock()).rejects.toMatchObject({ type: 'IllegalStateException' });
        hold.throwIfLost();
        await hold.release();
        await theirs.lock();
        await expect(ours.release(locks.owner())).rejects.toMatchObject({ code: 'NOT_HELD' });
        await theirs.unlock();
      });

      test('Node breaks what Java holds: Java is refused, and Node gets in', async () => {
        const key = newKey();
        const theirs = java.lock(usual(type), key);
        const ours = nodeLock(type, key);
        await theirs.lock();
        const waiting = await nodeWaits(fullKey(type, key), () => ours.acquire());
        expect(await ours.forceRelease()).toBe(true);
        const hold = await waiting.outcome;
        await expect(theirs.unlock()).rejects.toMatchObject({ type: 'ConcurrentModificationException' });
        await hold.release();
        expect(await ours.forceRelease()).toBe(false);
      });

      test('a JVM that is killed: Node gets in when its time is over, and not before', async () => {
        const key = newKey();
        await using mortal = await Spring.start(version, servers.place, REGISTRIES);
        await mortal.lock({ type, renewed: true }, key).lock();
        const waiting = await nodeWaits(fullKey(type, key), () => nodeLock(type, key).acquire());
        await mortal.kill();
        const killedAt = performance.now();
        const leftMs = await servers.ttl(fullKey(type, key));
        const hold = await waiting.outcome;
        const tookMs = performance.now() - killedAt;
        expect(tookMs).toBeGreaterThan(leftMs - TOLERANCE_MS);
        expect(tookMs).toBeLessThan(BRIEF_MS + GRACE_MS);
        await hold.release();
      });

      test('a Node process that is killed: Java gets in when its time is over, and not before', async () => {
        const key = newKey();
        await using holder = startNode('spring-holder', {
          client,
          place: servers.place,
          registryKey: registryKeyOf(type),
          lockKey: key,
          type,
          renewalLeaseMs: BRIEF_MS,
        });
        await holder.fact('ready');
        const theirs = java.lock({ type, renewed: true }, key);
        const entering = theirs.lock();
        await holder.kill();
        const killedAt = performance.now();
        const leftMs = await servers.ttl(fullKey(type, key));
        // On a busy machine the process may not have come to renew it, and this is already the time of Java's hold.
        const holderId = String(
          await (await servers.of(fullKey(type, key))).command('GET', fullKey(type, key)),
        );
        await entering;
        const tookMs = performance.now() - killedAt;
        expect(tookMs).toBeGreaterThan(JAVA_ID.test(holderId) ? 0 : leftMs - TOLERANCE_MS);
        // Of an unbounded wait for a message the timer is the registry's own time of expiry.
        expect(tookMs).toBeLessThan(2 * BRIEF_MS + GRACE_MS);
        await theirs.unlock();
      });
    });

    // Spring has it since 7.0.
    describe.concurrent.each(version === 'spring-7' ? TYPES : [])('%s', (type) => {
      test('a time of its own for one acquisition', async () => {
        const key = newKey();
        const theirs = java.lock(usual(type), key);
        await theirs.lockFor(2 * LONG_MS);
        expect(await servers.ttl(fullKey(type, key))).toBeGreaterThan(LONG_MS);
        expect(await nodeLock(type, key).tryAcquire()).toBeNull();
        await theirs.unlock();
      });
    });
  });
}
