import { describe, expect, test } from 'vitest';
import type { Lock, Owner } from '../../../src/index.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import type { Contenders, NodeSide } from '../contenders.ts';
import {
  crowd,
  expectJavaWaitsInVain,
  passFromJavaToNode,
  passFromNodeToJava,
  TOLERANCE_MS,
} from '../hand-overs.ts';
import { describeJava } from '../java-build.ts';
import { JavaError } from '../java-program.ts';
import { renewed } from '../renewed.ts';
import {
  BREAKABLE,
  channelOf,
  contendedName,
  EXCLUSIVE,
  type Kind,
  KINDS,
  LEASED,
  OWNED,
  renewedKey,
} from './kinds.ts';
import { killCells } from './kill-cells.ts';
import { latchCells } from './latch-cells.ts';
import { permitCells } from './permit-cells.ts';
import type { RedissonThread } from './redisson.ts';
import { semaphoreCells } from './semaphore-cells.ts';
import { hasPermits, javaObject, javaSide, type LeasedJavaSide, nodeSide, type Side } from './sides.ts';
import { type InteropStage, interopStage, type Setting } from './stage.ts';

const LEASE_MS = 900;
const WAIT_MS = 200;

/** Every kind of object in both directions, with one version of Redisson, one kind of servers and one client. */
export function redissonTable(setting: Setting): void {
  describeJava(`${setting.version}, ${setting.topology}, ${setting.client}`, () => {
    const stage = interopStage(setting);
    describe.concurrent.each(KINDS)('$title', (kind) => {
      handOvers(stage, kind);
    });
    describe.concurrent.each(EXCLUSIVE)('$title', (kind) => {
      crowds(stage, kind);
    });
    describe.concurrent.each(LEASED)('$title', (kind) => {
      javaExpiries(stage, kind);
    });
    describe.concurrent.each(KINDS)('$title', (kind) => {
      nodeExpiries(stage, kind);
    });
    describe.concurrent.each(OWNED)('$title', (kind) => {
      renewals(stage, kind);
    });
    describe.concurrent.each(OWNED)('$title', (kind) => {
      strangers(stage, kind);
    });
    describe.concurrent.each(BREAKABLE)('$title', (kind) => {
      breaks(stage, kind);
    });
    describe.concurrent('fair lock', () => {
      order(stage);
    });
    describe.concurrent('permit semaphore', () => {
      permitCells(stage);
    });
    describe.concurrent('semaphore', () => {
      semaphoreCells(stage);
    });
    describe.concurrent('latch', () => {
      latchCells(stage);
    });
    describe('one of everything', () => {
      killCells(stage);
    });
  });
}

interface Sides extends Contenders {
  readonly name: string;
  readonly thread: RedissonThread;
  readonly java: LeasedJavaSide;
}

/** Both sides of a new name. The permits are there before any client asks for them. */
async function sidesOf(stage: InteropStage, javaKind: Side, nodeKind: Side, brief = false): Promise<Sides> {
  const name = stage.newName();
  const thread = brief ? stage.briefThread() : stage.thread();
  if (hasPermits(javaKind)) await thread.call(javaObject(javaKind), name, 'trySetPermits', 1);
  const locks = brief ? stage.brief : stage.locks;
  return { name, thread, java: javaSide(thread, javaKind, name), node: nodeSide(locks, nodeKind, name) };
}

function handOvers(stage: () => InteropStage, { first, second }: Kind): void {
  test('Java holds, Node waits', async () => {
    const { name, java, node } = await sidesOf(stage(), first, second);
    await passFromJavaToNode({
      java,
      otherJava: java,
      node,
      waitMs: WAIT_MS,
      waits: (begin) => stage().nodeWaits(contendedName(second, name), begin),
    });
    expect(await java.tryAcquire()).toBe(true);
    await java.release();
  });

  test('Node holds, Java waits', async () => {
    const { name, thread, java, node } = await sidesOf(stage(), second, first);
    const hold = await node.acquire();
    expect(await java.tryAcquire()).toBe(false);
    await waitInVain(stage(), second, first);
    const listened = channelOf(second, name);
    const waiting = await stage().javaWaits(listened.channel, listened.name, () => java.acquire());
    // Java listens before it looks again and goes to sleep. Between the two it would miss the release of a write lock, whose
    // message to all waiters wakes those that sleep.
    await waitFor('Java sleeps', () => thread.isParked());
    await passFromNodeToJava({ java, node }, hold, waiting.outcome);
    const again = await node.tryAcquire();
    expect(again).not.toBeNull();
    await again?.release();
  });
}

/** Of a name of its own: on a busy machine Redisson may go on listening for long after it has given up. */
async function waitInVain(stage: InteropStage, javaKind: Side, nodeKind: Side): Promise<void> {
  const { java, node } = await sidesOf(stage, javaKind, nodeKind);
  const hold = await node.acquire();
  await expectJavaWaitsInVain(java, WAIT_MS);
  await hold.release();
}

function crowds(stage: () => InteropStage, { first }: Kind): void {
  test('three of each side, again and again: never two at once, and each acquires', async () => {
    // With short leases: of a write lock Redisson misses one release in a thousand, and sleeps for as long as a lease.
    const { name, java, node } = await sidesOf(stage(), first, first, true);
    const others = [1, 2].map(() => javaSide(stage().briefThread(), first, name));
    expect(await crowd(node, [java, ...others], 5)).toBe(30);
  });
}

function javaExpiries(stage: () => InteropStage, { first, second }: Kind): void {
  test('a lease that Java lets run out: Node acquires then, and Java is refused', async () => {
    const { java, node } = await sidesOf(stage(), first, second);
    const askedAt = performance.now();
    await java.acquire(LEASE_MS);
    const hold = await node.acquire({ timeoutMs: 20_000 });
    expect(performance.now() - askedAt).toBeGreaterThan(LEASE_MS - TOLERANCE_MS);
    await expect(java.release()).rejects.toThrow(JavaError);
    hold.throwIfLost();
    await hold.release();
  });
}

function nodeExpiries(stage: () => InteropStage, { first, second }: Kind): void {
  test('a lease that Node lets run out: hold.lost fires, then Java acquires', async () => {
    const { java, node } = await sidesOf(stage(), second, first);
    const askedAt = performance.now();
    const hold = await node.acquire({ leaseMs: LEASE_MS });
    await java.acquire();
    // Asked, and not waited for: a timer of ours may come after what Java says, when this process has much to read.
    expect(hold.lost.aborted).toBe(true);
    expect(performance.now() - askedAt).toBeGreaterThan(LEASE_MS - TOLERANCE_MS);
    await expect(hold.release()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    await java.release();
  });
}

function renewals(stage: () => InteropStage, { first, second }: Kind): void {
  test('Java renews what it holds, and Node stays out', async () => {
    const { name, java, node } = await sidesOf(stage(), first, second, true);
    await java.acquire();
    await renewed(() => stage().servers.ttl(renewedKey(first, name)));
    expect(await node.tryAcquire()).toBeNull();
    await java.release();
    await (await node.acquire({ timeoutMs: 20_000 })).release();
  });

  test('Node renews what it holds, and Java stays out', async () => {
    const { name, java, node } = await sidesOf(stage(), second, first, true);
    const hold = await node.acquire();
    await renewed(() => stage().servers.ttl(renewedKey(first, name)));
    expect(await java.tryAcquire()).toBe(false);
    hold.throwIfLost();
    await hold.release();
    expect(await java.tryAcquire()).toBe(true);
    await java.release();
  });
}

function strangers(stage: () => InteropStage, { first }: Kind): void {
  test('what Node holds is not Java’s to unlock, and the other way round', async () => {
    const { java, node } = await sidesOf(stage(), first, first);
    const hold = await node.acquire();
    await expect(java.release()).rejects.toMatchObject({ type: 'IllegalMonitorStateException' });
    hold.throwIfLost();
    expect(await java.tryAcquire()).toBe(first === 'readLock');
    if (first === 'readLock') await java.release();
    await hold.release();

    await java.acquire();
    expect(await strangerReleases(node, stage().locks.owner())).toBe('NOT_HELD');
    await java.release();
  });
}

/** Of a multi-lock nothing can be given back but by its hold. */
async function strangerReleases(node: NodeSide, owner: Owner): Promise<unknown> {
  if (!('release' in node)) return 'NOT_HELD';
  const released = (node as unknown as Lock).release(owner);
  return released.catch((error: unknown) => (error as { code?: unknown }).code);
}

interface Breakable {
  forceRelease(): Promise<boolean>;
  isLocked(): Promise<boolean>;
}

function breaks(stage: () => InteropStage, { first }: Kind): void {
  test('Java breaks a hold of Node: hold.lost fires, and Java acquires', async () => {
    const { name, thread, java, node } = await sidesOf(stage(), first, first, true);
    const hold = await node.acquire();
    const waiting = first === 'readLock' ? undefined : java.acquire();
    const other = stage().thread();
    await waitFor('it was broken', () => other.call(javaObject(first), name, 'forceUnlock'));
    await waiting;
    await waitFor('Node is notified', () => hold.lost.aborted);
    await expect(hold.release()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    if (waiting !== undefined) await java.release();
    expect(await thread.call(javaObject(first), name, 'isLocked')).toBe(false);
    expect(await other.call(javaObject(first), name, 'forceUnlock')).toBe(false);
  });

  test('Node breaks what Java holds: Java is refused, and Node acquires', async () => {
    const { name, java, node } = await sidesOf(stage(), first, first);
    const breakable = node as unknown as Breakable;
    await java.acquire();
    const waiting =
      first === 'readLock'
        ? undefined
        : await stage().nodeWaits(contendedName(first, name), () => node.acquire());
    expect(await breakable.isLocked()).toBe(true);
    expect(await breakable.forceRelease()).toBe(true);
    const hold = await waiting?.outcome;
    await expect(java.release()).rejects.toMatchObject({ type: 'IllegalMonitorStateException' });
    await hold?.release();
    expect(await breakable.forceRelease()).toBe(false);
  });
}

function order(stage: () => InteropStage): void {
  test('both sides stand in one line and are served in its order', async () => {
    const { name, node } = await sidesOf(stage(), 'fairLock', 'fairLock');
    const server = await stage().server(name);
    const hold = await node.acquire();
    const entered: string[] = [];
    const asked: Promise<void>[] = [];
    for (const who of ['Java 1', 'Node 1', 'Java 2', 'Java 3', 'Node 2', 'Node 3', 'Java 4', 'Node 4']) {
      asked.push(who.startsWith('Java') ? ofJava(who) : ofNode(who));
      const place = asked.length;
      await waitFor(`${who} stands in line`, async () => {
        return (await server.command('LLEN', `redisson_lock_queue:{${name}}`)) === place;
      });
    }
    await hold.release();
    await Promise.all(asked);
    expect(entered).toEqual(['Java 1', 'Node 1', 'Java 2', 'Java 3', 'Node 2', 'Node 3', 'Java 4', 'Node 4']);

    async function ofJava(who: string): Promise<void> {
      const java = javaSide(stage().thread(), 'fairLock', name);
      await java.acquire();
      entered.push(who);
      await java.release();
    }
    async function ofNode(who: string): Promise<void> {
      const mine = await node.acquire();
      entered.push(who);
      await mine.release();
    }
  });

  test('a waiter that gives up leaves the line, and those behind keep their time', async () => {
    const { name, java, node } = await sidesOf(stage(), 'fairLock', 'fairLock');
    const server = await stage().server(name);
    const length = async (): Promise<number> =>
      Number(await server.command('LLEN', `redisson_lock_queue:{${name}}`));
    const hold = await node.acquire();
    const giving = [node.tryAcquire({ timeoutMs: 1500 }), java.tryAcquire(1500)];
    await waitFor('both stand in line', async () => (await length()) === 2);
    const patient = javaSide(stage().thread(), 'fairLock', name);
    const entering = patient.acquire();
    await waitFor('the third as well', async () => (await length()) === 3);
    expect(await Promise.all(giving)).toEqual([null, false]);
    await waitFor('two have left', async () => (await length()) === 1);
    await hold.release();
    await entering;
    await patient.release();
    expect(
      await server.command('EXISTS', `redisson_lock_queue:{${name}}`, `redisson_lock_timeout:{${name}}`),
    ).toBe(0);
  });
}
