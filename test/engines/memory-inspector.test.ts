import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Change, memory, MemoryStore, type MemorySynchronizers, type Sighting } from 'holdfast/memory';

let store: MemoryStore;
let here: MemorySynchronizers;
let there: MemorySynchronizers;

beforeEach(() => {
  store = new MemoryStore();
  here = memory({ store });
  there = memory({ store });
});

afterEach(async () => {
  await here.close();
  await there.close();
});

async function listed(options?: { readonly prefix?: string; readonly signal?: AbortSignal }) {
  const all: Sighting[] = [];
  for await (const sighting of there.inspector.list(options)) all.push(sighting);
  return all.map(({ kind, name }) => `${kind} ${name}`).toSorted();
}

test('lists what is held or waited for, of any client, and nothing that is free', async () => {
  await using lock = await here.lock('a:1').acquire();
  await using read = await here.readWriteLock('a:2').read.acquire();
  await (await here.lock('a:3').acquire()).release();
  await using office = await here.election('b').campaign({ value: 'ada' });
  expect(await listed()).toEqual(['election b', 'lock a:1', 'readWriteLock a:2']);
  expect(await listed({ prefix: 'a:' })).toEqual(['lock a:1', 'readWriteLock a:2']);
  await expect(listed({ signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  expect([lock.fence > 0n, read.fence > 0n, office.value]).toEqual([true, true, 'ada']);
});

describe('describes', () => {
  test('a fair lock with its line, in the order of turns', async () => {
    const hold = await here.fairLock('till').acquire();
    const first = there.fairLock('till').acquire();
    const second = here.fairLock('till').acquire();
    const seen = await there.inspector.describe('fairLock', 'till');
    expect.assert(seen?.kind === 'fairLock');
    expect(seen.holders).toMatchObject([{ program: 'holdfast', fence: hold.fence, count: 1 }]);
    expect(seen.waiters).toEqual({ count: 2, counts: 'fleet' });
    expect.assert(seen.line.order === 'turns');
    expect(seen.line.places).toHaveLength(2);
    await hold.release();
    const taken = await first;
    const next = await there.inspector.describe('fairLock', 'till');
    expect(next?.holders[0]?.owner).toBe(seen.line.places[0]!.owner);
    await taken.release();
    await (await second).release();
  });

  test('permits, a latch with those who wait, a barrier, a monitor', async () => {
    await using permit = await here.permitSemaphore('seats', { permits: 5 }).acquire({ permits: 2 });
    const latch = here.latch('gate');
    await latch.trySetCount(1);
    const through = latch.await();
    const arrived = here.barrier('round', { parties: 2 }).arrive();
    await here.monitor('stock', { initial: { left: 5 } }).run((m) => m.set({ left: 4 }));
    const { inspector } = there;
    expect(await inspector.describe('permitSemaphore', 'seats')).toMatchObject({ permits: 5, available: 3 });
    expect(await inspector.describe('latch', 'gate')).toMatchObject({ count: 1, waiters: { count: 1 } });
    expect(await inspector.describe('barrier', 'round')).toMatchObject({ parties: 2, waiters: { count: 1 } });
    expect(await inspector.describe('monitor', 'stock')).toMatchObject({ state: { left: 4 } });
    expect(await inspector.describe('lock', 'nothing')).toBeNull();
    await latch.countDown();
    await through;
    await there.barrier('round', { parties: 2 }).arrive();
    await arrived;
    expect(permit.permits).toBe(2);
  });
});

test('breaks the hold that was seen, tells its holder, raises the fence, and breaks no newer one', async () => {
  const hold = await here.lock('job').acquire();
  const { owner } = (await there.lock('job').holder())!;
  expect(await there.inspector.forceRelease('lock', 'job', { owner: 'another client' })).toBe(false);
  expect(await here.inspector.forceRelease('lock', 'job', { owner, fence: hold.fence })).toBe(true);
  expect(hold.lost.aborted).toBe(true);
  await using next = await there.lock('job').acquire();
  expect(next.fence).toBeGreaterThan(hold.fence);
  expect(await here.inspector.forceRelease('lock', 'job', { fence: hold.fence })).toBe(false);
  await expect(here.inspector.forceRelease('lock', 'job', {})).rejects.toThrow(TypeError);
  await expect(here.inspector.forceRelease('latch', 'job', { owner })).rejects.toThrow('has no holders');
});

test('emits changes until it is stopped', async () => {
  const changes: Change[] = [];
  const stop = await there.inspector.changes((change) => changes.push(change));
  await (await here.lock('job').acquire()).release();
  await Promise.resolve();
  expect(changes).toContainEqual({ what: 'name', kind: 'lock', name: 'job' });
  stop();
  const before = changes.length;
  await (await here.lock('job').acquire()).release();
  await Promise.resolve();
  expect(changes).toHaveLength(before);
});

test('refuses what makes no sense, and everything after close', async () => {
  await expect(here.inspector.describe('spoon' as never, 'x')).rejects.toThrow('no kind');
  expect(() => here.inspector.list({ prefix: 5 as never })).toThrow(TypeError);
  await here.close();
  await expect(here.inspector.describe('lock', 'x')).rejects.toThrow('closed');
});
