import { afterEach, describe, expect, test } from 'vitest';
import { LeaseLostError, type Synchronizers } from '../../../src/index.ts';
import type { SqlExtras } from '../../../src/engines/sql/open-sql-engine.ts';
import type { Change, Description, Kind, Sighting } from '../../../src/spi/engine/inspector.ts';
import { waitFor } from '../../fixtures/wait-for.ts';

export type Inspected = Synchronizers & SqlExtras;

/** How to open one more client of the same store. Names are never used twice. */
export type Open = () => Inspected;

const KINDS: readonly Kind[] = [
  'lock',
  'fairLock',
  'readWriteLock',
  'semaphore',
  'permitSemaphore',
  'latch',
  'barrier',
  'election',
  'monitor',
];

let cases = 0;

async function listed(
  locks: Inspected,
  options?: Parameters<SqlExtras['inspector']['list']>[0],
): Promise<readonly Sighting[]> {
  const all: Sighting[] = [];
  for await (const sighting of locks.inspector.list(options)) all.push(sighting);
  return all;
}

async function described<K extends Kind>(
  locks: Inspected,
  kind: K,
  name: string,
): Promise<Description & { readonly kind: K }> {
  const seen = await locks.inspector.describe(kind, name);
  expect([seen?.kind, seen?.name]).toStrictEqual([kind, name]);
  return seen as Description & { readonly kind: K };
}

/** What the inspector of each SQL engine shows and does. `fenceOf` reads the column that users compare. */
export function inspectorCases(openOne: Open, fenceOf: (kind: Kind, name: string) => Promise<bigint>): void {
  const opened: Inspected[] = [];
  const open: Open = () => {
    const locks = openOne();
    opened.push(locks);
    return locks;
  };
  const fresh = (): string => `inspected-${++cases}`;
  afterEach(async () => {
    for (const locks of opened.splice(0)) await locks.close();
  });

  describe('a list', () => {
    test('what is held or waited for, in slices, and nothing that is at rest', async () => {
      const [locks, other] = [open(), open()];
      const prefix = fresh();
      const names = Array.from({ length: 230 }, (_, at) => `${prefix} ${String(at).padStart(3, '0')}`);
      await Promise.all(names.map((name) => locks.lock(name).acquire()));
      for (const name of names.slice(0, 3)) await locks.lock(name).forceRelease();
      const seen = await listed(other, { prefix });
      expect(seen.map(({ kind, name }) => `${kind} ${name}`)).toStrictEqual(
        names.slice(3).map((name) => `lock ${name}`),
      );
      expect(seen.every(({ holders }) => holders.length === 1 && holders[0]!.program === 'holdfast')).toBe(
        true,
      );
    });

    test('only names that begin with what is asked for, which is no pattern', async () => {
      const locks = open();
      const prefix = `${fresh()}%_é\\`;
      await locks.lock(`${prefix}a`).acquire();
      await locks.fairLock(`${prefix}b`).acquire();
      await locks.lock(prefix.replace('%', 'x')).acquire();
      await locks.lock(prefix.replace('_', 'x')).acquire();
      const seen = await listed(locks, { prefix });
      expect(seen.map(({ kind, name }) => `${kind} ${name.slice(prefix.length)}`).toSorted()).toStrictEqual([
        'fairLock b',
        'lock a',
      ]);
    });

    test('it stops when its signal aborts, and on a closed client', async () => {
      const locks = open();
      const prefix = fresh();
      await locks.lock(`${prefix} a`).acquire();
      await locks.lock(`${prefix} b`).acquire();
      const controller = new AbortController();
      const reason = new Error('enough');
      const taken: string[] = [];
      await expect(async () => {
        for await (const { name } of locks.inspector.list({ prefix, signal: controller.signal })) {
          taken.push(name);
          controller.abort(reason);
        }
      }).rejects.toBe(reason);
      expect(taken).toStrictEqual([`${prefix} a`]);
      expect(() => locks.inspector.list({ prefix: 5 as never })).toThrow(/prefix must be a string/);
      await locks.close();
      await expect(listed(locks)).rejects.toMatchObject({ code: 'CLOSED' });
    });
  });

  describe('a description', () => {
    test('nothing is null, whatever the kind; and what is of another kind is not of this one', async () => {
      const locks = open();
      const name = fresh();
      for (const kind of KINDS) expect(await locks.inspector.describe(kind, name), kind).toBeNull();
      await locks.lock(name).acquire();
      for (const kind of KINDS.slice(1)) expect(await locks.inspector.describe(kind, name), kind).toBeNull();
      await expect(locks.inspector.describe('mutex' as Kind, name)).rejects.toThrow(
        /no kind "mutex"; known are lock/,
      );
      await expect(locks.inspector.describe('lock', '')).rejects.toBeInstanceOf(RangeError);
    });

    test('a lock: its holder with the last fence and what is left of the lease, and who waits', async () => {
      const [locks, other] = [open(), open()];
      const name = fresh();
      const hold = await locks.lock(name).acquire({ leaseMs: 60_000 });
      const waiting = other.lock(name).acquire();
      await waitFor('one waits', async () => (await other.lock(name).waiters()) === 1);
      const { holders, waiters } = await described(other, 'lock', name);
      expect(waiters).toStrictEqual({ count: 1, counts: 'fleet' });
      const [{ owner, fence, count, remainingMs } = expect.unreachable()] = holders;
      expect([fence, count, holders.length]).toStrictEqual([hold.fence, 1, 1]);
      expect(owner).toBe((await locks.lock(name).holder())?.owner);
      expect(remainingMs, `${remainingMs} ms`).toBeGreaterThan(50_000);
      expect(remainingMs, `${remainingMs} ms`).toBeLessThanOrEqual(60_000);
      await hold.release();
      await (await waiting).release();
      expect(await other.inspector.describe('lock', name)).toBeNull();
    });

    test('a fair lock: the line in the order of turns, with the time of each place', async () => {
      const [holder, ...others] = [open(), open(), open()];
      const name = fresh();
      const hold = await holder.fairLock(name).acquire();
      const waiting: Promise<{ release(): Promise<void> }>[] = [];
      for (const locks of others) {
        waiting.push(locks.fairLock(name).acquire());
        const place = waiting.length;
        await waitFor('it stands in line', async () => (await locks.fairLock(name).waiters()) === place);
      }
      const { holders, waiters, ...seen } = await described(holder, 'fairLock', name);
      expect.assert(seen.line.order === 'turns');
      const line = seen.line.places;
      expect(waiters.count).toBe(2);
      expect(new Set([...line, ...holders].map(({ owner }) => owner)).size).toBe(3);
      for (const { program, lapsesInMs } of line) {
        expect(program).toBe('holdfast');
        expect(lapsesInMs, `${lapsesInMs} ms`).toBeDefined();
        expect(lapsesInMs, `${lapsesInMs} ms`).toBeGreaterThan(10_000);
        expect(lapsesInMs, `${lapsesInMs} ms`).toBeLessThanOrEqual(30_000);
      }
      await hold.release();
      const first = await waiting[0]!;
      const after = await described(holder, 'fairLock', name);
      expect(after.holders[0]?.owner, 'the first of the line came in').toBe(line[0]?.owner);
      expect(after.line).toMatchObject({ order: 'turns', places: [{ owner: line[1]!.owner }] });
      await first.release();
      await (await waiting[1]!).release();
    });

    test('a read-write lock: those who read, or the one who writes', async () => {
      const [locks, other] = [open(), open()];
      const name = fresh();
      const readers = [
        await locks.readWriteLock(name).read.acquire(),
        await other.readWriteLock(name).read.acquire(),
      ];
      const read = await described(locks, 'readWriteLock', name);
      expect(read.holders.map(({ side, fence }) => [side, fence])).toStrictEqual(
        readers.map(({ fence }) => ['read', fence]),
      );
      const writing = other.readWriteLock(name).write.acquire();
      await waitFor(
        'a writer waits',
        async () => (await described(locks, 'readWriteLock', name)).waiters.count === 1,
      );
      for (const reader of readers) await reader.release();
      const writer = await writing;
      const [{ side, fence } = expect.unreachable()] = (await described(locks, 'readWriteLock', name))
        .holders;
      expect([side, fence]).toStrictEqual(['write', writer.fence]);
    });

    test('semaphores: holders with their permits, and how many are left', async () => {
      const [locks, other] = [open(), open()];
      const name = fresh();
      const two = await locks.semaphore(name, { permits: 5 }).acquire({ permits: 2 });
      await other.semaphore(name, { permits: 5 }).acquire();
      const seen = await described(locks, 'semaphore', name);
      expect([seen.available, seen.holders.map(({ count }) => count)]).toStrictEqual([2, [2, 1]]);
      expect(seen.holders[0]?.fence).toBe(two.fence);
      const permit = await locks.permitSemaphore(name, { permits: 1 }).acquire();
      const waiting = other.permitSemaphore(name, { permits: 1 }).acquire();
      const inLine = async () => (await described(locks, 'permitSemaphore', name)).waiters.count === 1;
      await waitFor('one waits for a permit', inLine);
      const { permits, available, holders } = await described(locks, 'permitSemaphore', name);
      expect([permits, available, holders.length]).toStrictEqual([1, 0, 1]);
      await permit.release();
      await (await waiting).release();
    });

    test('a latch and a barrier, which have no holder', async () => {
      const [locks, other] = [open(), open()];
      const name = fresh();
      await locks.latch(name).trySetCount(2);
      const opening = locks.latch(name).await();
      await waitFor('one waits', async () => (await described(locks, 'latch', name)).waiters.count === 1);
      const { count, holders, waiters } = await described(locks, 'latch', name);
      expect([count, holders, waiters.counts]).toStrictEqual([2, [], 'process']);
      await other.latch(name).countDown(2);
      await opening;
      const arriving = locks.barrier(name, { parties: 2 }).arrive();
      await waitFor(
        'one has arrived',
        async () => (await other.inspector.describe('barrier', name)) !== null,
      );
      const barrier = await described(other, 'barrier', name);
      expect([barrier.parties, barrier.generation, barrier.broken, barrier.waiters.count]).toStrictEqual([
        2,
        0,
        undefined,
        1,
      ]);
      await other.barrier(name, { parties: 2 }).arrive();
      await arriving;
      expect((await described(other, 'barrier', name)).generation).toBe(1);
    });

    test('an election with what its leader says, a monitor with its value and who waits on what', async () => {
      const [locks, other] = [open(), open()];
      const name = fresh();
      const leadership = await locks.election(name).campaign({ value: 'here' });
      const elected = await described(other, 'election', name);
      expect([elected.value, elected.holders[0]?.fence]).toStrictEqual(['here', leadership.fence]);
      await leadership.resign();
      const monitor = locks.monitor<{ full: boolean }>(name, { initial: { full: false } });
      const waiting = monitor.run(async (m) => {
        await m.waitUntil('full', (state) => state.full);
      });
      await waitFor('one waits on the condition', async () => {
        const seen = await other.inspector.describe('monitor', name);
        return seen?.kind === 'monitor' && seen.conditions['full'] === 1;
      });
      expect((await described(other, 'monitor', name)).state).toStrictEqual({ full: false });
      expect((await listed(other, { prefix: name })).some(({ kind }) => kind === 'monitor')).toBe(true);
      await other.monitor<{ full: boolean }>(name, { initial: { full: false } }).run((m) => {
        m.set({ full: true });
        m.signalAll('full');
      });
      await waiting;
      expect((await described(other, 'monitor', name)).state).toStrictEqual({ full: true });
    });
  });

  describe('changes', () => {
    test('it emits a release that others wait for, until it is stopped', async () => {
      const [locks, other] = [open(), open()];
      const name = fresh();
      const told: Change[] = [];
      const stop = await other.inspector.changes((change) => void told.push(change));
      const hold = await locks.lock(name).acquire();
      const waiting = other.lock(name).acquire();
      await waitFor('one waits', async () => (await other.lock(name).waiters()) === 1);
      await hold.release();
      await (await waiting).release();
      const isOurs = (change: Change) => change.what === 'anything' || change.name === name;
      await waitFor('it is notified', () => told.some(isOurs));
      stop();
      stop();
      await expect(other.inspector.changes(5 as never)).rejects.toThrow(/changes needs a function/);
    });
  });

  describe('a forced release', () => {
    test('ends the hold of the owner and the fence that were seen, no other, and raises the fence', async () => {
      const [locks, other] = [open(), open()];
      const name = fresh();
      const hold = await locks.lock(name).acquire();
      const owner = (await described(other, 'lock', name)).holders[0]!.owner;
      const { inspector } = other;
      expect(await inspector.forceRelease('lock', name, { fence: hold.fence + 1n })).toBe(false);
      expect(await inspector.forceRelease('lock', name, { owner: 'nobody:1' })).toBe(false);
      expect(await inspector.forceRelease('lock', name, { owner, fence: hold.fence - 1n })).toBe(false);
      expect(await fenceOf('lock', name)).toBe(hold.fence);
      expect(await inspector.forceRelease('lock', name, { owner, fence: hold.fence })).toBe(true);
      const raised = await fenceOf('lock', name);
      expect(raised, 'a statement that compares the fence refuses the client that had it').toBeGreaterThan(
        hold.fence,
      );
      expect(await inspector.forceRelease('lock', name, { owner }), 'no client has it').toBe(false);
      await expect(hold.release()).rejects.toBeInstanceOf(LeaseLostError);
      const next = await other.lock(name).acquire();
      expect(next.fence).toBeGreaterThan(raised);
    });

    test('grants to the waiter, and a holder of the same client learns of it at once', async () => {
      const [locks, other] = [open(), open()];
      const name = fresh();
      const hold = await locks.fairLock(name).acquire();
      const waiting = other.fairLock(name).acquire();
      await waitFor('one waits', async () => (await other.fairLock(name).waiters()) === 1);
      expect(await locks.inspector.forceRelease('fairLock', name, { fence: hold.fence })).toBe(true);
      expect(hold.lost.aborted).toBe(true);
      const next = await waiting;
      expect(next.fence).toBeGreaterThan(hold.fence);
    });

    test('of several readers takes away the one that is meant; of a writer it raises the fence', async () => {
      const locks = open();
      const name = fresh();
      const { read, write } = locks.readWriteLock(name);
      const [one, other] = [await read.acquire(), await open().readWriteLock(name).read.acquire()];
      expect(await locks.inspector.forceRelease('readWriteLock', name, { fence: one.fence })).toBe(true);
      const left = (await described(locks, 'readWriteLock', name)).holders;
      expect(left.map(({ fence }) => fence)).toStrictEqual([other.fence]);
      await other.release();
      const writer = await write.acquire();
      expect(await locks.inspector.forceRelease('readWriteLock', name, { fence: writer.fence })).toBe(true);
      expect(await fenceOf('readWriteLock', name)).toBeGreaterThan(writer.fence);
    });

    test('elections, monitors and permits', async () => {
      const [locks, other] = [open(), open()];
      const name = fresh();
      const leadership = await locks.election(name).campaign({ value: 'a' });
      expect(await other.inspector.forceRelease('election', name, { fence: leadership.fence })).toBe(true);
      expect(await fenceOf('election', name)).toBeGreaterThan(leadership.fence);
      expect(await other.inspector.describe('election', name)).toBeNull();
      const monitor = locks.monitor<number>(name, { initial: 1 });
      const section = monitor.run(async (m) => {
        const [{ fence } = expect.unreachable()] = (await described(other, 'monitor', name)).holders;
        expect(await other.inspector.forceRelease('monitor', name, { fence: fence! })).toBe(true);
        expect(await fenceOf('monitor', name)).toBeGreaterThan(fence!);
        m.set(2);
      });
      await expect(section).rejects.toBeInstanceOf(LeaseLostError);
      expect(await other.monitor<number>(name, { initial: 1 }).peek(), 'nothing was written').toBe(1);
      for (const kind of ['semaphore', 'permitSemaphore'] as const) {
        await locks[kind](name, { permits: 1 }).acquire();
        const [{ owner } = expect.unreachable()] = (await described(other, kind, name)).holders;
        expect(await other.inspector.forceRelease(kind, name, { owner })).toBe(true);
        expect(await other[kind](name, { permits: 1 }).tryAcquire()).toBeTruthy();
      }
    });

    test('needs what was seen, and a kind that has holders', async () => {
      const { inspector } = open();
      await expect(inspector.forceRelease('lock', 'a', {})).rejects.toThrow(/needs what was seen/);
      await expect(inspector.forceRelease('lock', 'a', { fence: 5 as never })).rejects.toThrow(
        /needs what was seen/,
      );
      await expect(inspector.forceRelease('latch', 'a', { owner: 'x' })).rejects.toThrow(
        /a latch has no holders/,
      );
      await expect(inspector.forceRelease('barrier', 'a', { owner: 'x' })).rejects.toThrow(
        /a barrier has no holders/,
      );
    });
  });
}
