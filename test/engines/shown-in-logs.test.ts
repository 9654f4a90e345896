import { inspect } from 'node:util';
import { multiLock, quorumLock } from 'holdfast';
import { memory } from 'holdfast/memory';
import { sqlite } from 'holdfast/sqlite';
import { describe, expect, test } from 'vitest';
import { TemporaryFolder } from '../faults/sqlite/temporary-folder.ts';

const LONGEST_LINE = 200;

/** Both forms, each short. */
function shownIn(value: unknown): { readonly json: unknown; readonly text: string } {
  const text = inspect(value);
  expect(text).not.toContain('\n');
  expect(text.length).toBeLessThan(LONGEST_LINE);
  return { json: JSON.parse(JSON.stringify(value)), text };
}

describe('JSON.stringify and console.log', () => {
  test('show a hold with its fence as text, and how it ended', async () => {
    await using locks = memory({ label: 'shop' });
    const hold = await locks.lock('orders:7').acquire();
    const of = { kind: 'lock', name: 'orders:7', engine: 'shop', fence: String(hold.fence) };
    expect(shownIn(hold)).toStrictEqual({
      json: { ...of, state: 'held', remainingMs: expect.toSatisfy(Number.isInteger) },
      text: expect.stringMatching(
        /^Hold \{ kind: 'lock', name: 'orders:7', engine: 'shop', fence: '\d+', state: 'held'/,
      ),
    });
    await hold.release();
    expect(shownIn(hold).json).toStrictEqual({ ...of, state: 'released', remainingMs: 0 });

    const lost = await locks.lock('orders:8').acquire();
    await locks.lock('orders:8').forceRelease();
    await expect(lost.release()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(shownIn(lost).json).toMatchObject({ state: 'lost', remainingMs: 0 });
  });

  test('do not release, renew or end a hold', async () => {
    await using locks = memory();
    const hold = await locks.lock('a').acquire();
    shownIn(hold);
    hold.throwIfLost();
    expect(hold.lost.aborted).toBe(false);
    await hold.release();
  });

  test('show each synchronizer by kind, name and engine', async () => {
    await using locks = memory();
    const engine = 'memory';
    const name = 'a';
    expect(shownIn(locks.lock(name)).json).toStrictEqual({ kind: 'lock', name, engine });
    expect(shownIn(locks.fairLock(name)).text).toBe(`Lock { kind: 'fairLock', name: 'a', engine: 'memory' }`);
    expect(shownIn(locks.readWriteLock(name)).json).toStrictEqual({ kind: 'readWriteLock', name, engine });
    expect(shownIn(locks.readWriteLock(name).read).json).toStrictEqual({ kind: 'readLock', name, engine });
    expect(shownIn(locks.semaphore(name, { permits: 3 })).json).toStrictEqual({
      kind: 'semaphore',
      name,
      engine,
      permits: 3,
    });
    expect(shownIn(locks.permitSemaphore(name, { permits: 3 })).text).toMatch(
      /^Semaphore \{ kind: 'permitSemaphore'/,
    );
    expect(shownIn(locks.latch(name)).text).toBe(`Latch { kind: 'latch', name: 'a', engine: 'memory' }`);
    expect(shownIn(locks.barrier(name, { parties: 2 })).json).toMatchObject({ kind: 'barrier', parties: 2 });
    expect(shownIn(locks.election(name)).text).toMatch(/^Election \{ kind: 'election'/);
    expect(shownIn(locks.monitor(name, { initial: 1 })).text).toMatch(/^Monitor \{ kind: 'monitor'/);
    expect(shownIn(locks.owner('me')).text).toBe(`Owner { label: 'me' }`);
  });

  test('show composed locks and their holds by their members', async () => {
    await using locks = memory();
    const members = ['a', 'b', 'c'].map((name) => locks.lock(name));
    const many = multiLock(members.slice(0, 1));
    expect(shownIn(many).json).toStrictEqual({
      kind: 'multiLock',
      locks: [{ kind: 'lock', name: 'a', engine: 'memory' }],
    });
    await many.run((hold) =>
      expect(shownIn(hold).json).toMatchObject({ kind: 'multiLock', holds: [{ name: 'a' }] }),
    );
    const quorum = quorumLock(members);
    expect(JSON.parse(JSON.stringify(quorum))).toMatchObject({ kind: 'quorumLock', locks: [{}, {}, {}] });
    await quorum.run((hold) => {
      const json = JSON.parse(JSON.stringify(hold)) as object;
      expect(json).toMatchObject({ kind: 'quorumLock', fence: String(hold.fence), state: 'held' });
      expect(inspect(hold)).toMatch(/^QuorumHold \{/);
    });
  });

  test('show a holder, a leader, a sighting, an event and the error of a time-out, each with its fence as text', async () => {
    await using locks = memory();
    const events: unknown[] = [];
    locks.on('acquire', (event) => events.push(event));
    const lock = locks.lock('a');
    const hold = await lock.acquire();
    const lead = await locks.election('b').campaign({ value: 'v' });
    const [fence, led] = [String(hold.fence), String(lead.fence)];
    const inJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
    const whole = expect.toSatisfy(Number.isInteger);
    expect(inJson(await lock.holder())).toMatchObject({ fence, remainingMs: whole, program: 'holdfast' });
    expect(inJson(await locks.inspector.describe('lock', 'a'))).toMatchObject({
      holders: [{ fence, remainingMs: whole }],
    });
    for await (const seen of locks.inspector.list({ prefix: 'a' }))
      expect(inJson(seen)).toMatchObject({ name: 'a', holders: [{ fence }] });
    expect(inJson(await locks.election('b').leader())).toMatchObject({ value: 'v', fence: led });
    for await (const leader of locks.election('b').observe()) {
      expect(inJson(leader)).toMatchObject({ value: 'v', fence: led });
      break;
    }
    expect(inJson(events)).toMatchObject([{ fence }, { fence: led }]);
    const error = await lock.acquire({ timeoutMs: 1 }).catch((thrown: unknown) => thrown);
    expect(inJson(error)).toMatchObject({ code: 'ACQUIRE_TIMEOUT', holder: { fence, remainingMs: whole } });
    const other = memory({ label: 'other' }).lock('a');
    expect(inJson(await other.holder())).toBe(null);
  });

  test('show an engine by its label and scope, and nothing of its store', async () => {
    using folder = new TemporaryFolder();
    await using file = sqlite({ file: folder.file() });
    await using locks = memory({ label: 'shop' });
    expect(shownIn(locks).json).toStrictEqual({ engine: 'shop', scope: 'process', closed: false });
    expect(shownIn(file).text).toBe(`Locks { engine: 'sqlite', scope: 'machine', closed: false }`);
    await locks.close();
    expect(shownIn(locks).json).toMatchObject({ closed: true });
  });
});
