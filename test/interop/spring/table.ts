import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RedisSynchronizers } from '../../../src/engines/redis/index.ts';
import type { FencedLock } from '../../../src/index.ts';
import { type ClientName, openLocks } from '../../faults/redis/open-locks.ts';
import { describeJava } from '../java-build.ts';
import { startNode } from '../node-program.ts';
import { NodeWaits } from '../node-waits.ts';
import { renewed } from '../renewed.ts';
import { registryCases } from './registry-cases.ts';
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
    const nodeWaits = new NodeWaits();
    beforeAll(async () => {
      servers = await Servers.start(topology);
      java = await Spring.start(version, servers.place, REGISTRIES);
      locks = await openLocks(client, servers.place);
      nodeWaits.listenTo(locks);
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

    describe.concurrent.each(TYPES)('%s', (type) => {
      registryCases({
        newName: newKey,
        java: (key) => java.lock(usual(type), key),
        node: (key) => nodeLock(type, key),
        nodeWaits: (key, begin) => nodeWaits.begin(fullKey(type, key), begin),
        owner: () => locks.owner(),
        refusal: 'IllegalStateException',
      });

      test('a time that Java lets run out: Node acquires then, and Java is refused', async () => {
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

      test('a lease that Node lets run out: hold.lost fires, then Java acquires', async () => {
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

      test('a JVM that is killed: Node acquires when its time is over, and not before', async () => {
        const key = newKey();
        await using mortal = await Spring.start(version, servers.place, REGISTRIES);
        await mortal.lock({ type, renewed: true }, key).lock();
        const waiting = await nodeWaits.begin(fullKey(type, key), () => nodeLock(type, key).acquire());
        await mortal.kill();
        const killedAt = performance.now();
        const leftMs = await servers.ttl(fullKey(type, key));
        const hold = await waiting.outcome;
        const tookMs = performance.now() - killedAt;
        expect(tookMs).toBeGreaterThan(leftMs - TOLERANCE_MS);
        expect(tookMs).toBeLessThan(BRIEF_MS + GRACE_MS);
        await hold.release();
      });

      test('a Node process that is killed: Java acquires when its time is over, and not before', async () => {
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
