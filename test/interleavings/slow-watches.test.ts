import { describe, expect, test } from 'vitest';
import { multiLock, type Synchronizers } from '../../src/index.ts';
import type { Fate } from '../fixtures/hooked-wire.ts';
import { connected, timed } from './cable.ts';
import { ending, play, type Stage, warmUp } from './stage.ts';

/**
 * A client whose watches take so long, while the store answers all else at once; and how many attempts it has sent. The client
 * gives a watch up after 2000 ms.
 */
async function slowToWatch(stage: Stage, watch: Fate = 'lost') {
  const counted = { attempts: 0 };
  const client = stage.far('slow', {
    watch: () => watch,
    out: ({ verb }) => void (verb === 'acquire' && counted.attempts++),
  });
  await warmUp(client);
  counted.attempts = 0;
  return { client, counted };
}

/** Waits on "a" for so long, while another client keeps it out. */
type Wait = (client: Synchronizers, timeoutMs: number) => Promise<unknown>;
/** Keeps others out of "a"; answers how to end that. */
type Keep = (client: Synchronizers) => Promise<() => Promise<unknown>>;

const never = (): never => expect.fail('entered');

/** Keeps a section inside until it is ended from outside. */
async function insideMonitor(client: Synchronizers): Promise<() => Promise<unknown>> {
  let leave!: () => void;
  const left = new Promise<void>((resolve) => (leave = resolve));
  let section!: Promise<void>;
  await new Promise<void>((entered) => {
    section = client.monitor('a', { initial: 0 }).run(() => (entered(), left));
  });
  return () => (leave(), section);
}

async function keep(acquired: Promise<{ release(): Promise<void> }>): Promise<() => Promise<void>> {
  const hold = await acquired;
  return () => hold.release();
}

const WAITS: Readonly<Record<string, readonly [Keep, Wait]>> = {
  lock: [(by) => keep(by.lock('a').acquire()), (by, timeoutMs) => by.lock('a').acquire({ timeoutMs })],
  'lock, tried': [
    (by) => keep(by.lock('a').acquire()),
    (by, timeoutMs) => by.lock('a').tryAcquire({ timeoutMs }),
  ],
  'fair lock': [
    (by) => keep(by.fairLock('a').acquire()),
    (by, timeoutMs) => by.fairLock('a').acquire({ timeoutMs }),
  ],
  'read side': [
    (by) => keep(by.readWriteLock('a').write.acquire()),
    (by, timeoutMs) => by.readWriteLock('a').read.acquire({ timeoutMs }),
  ],
  'permit semaphore': [
    (by) => keep(by.permitSemaphore('a', { permits: 1 }).acquire()),
    (by, timeoutMs) => by.permitSemaphore('a', { permits: 1 }).acquire({ timeoutMs }),
  ],
  election: [
    (by) => keep(by.election('a').campaign()),
    (by, timeoutMs) => by.election('a').campaign({ timeoutMs }),
  ],
  monitor: [insideMonitor, (by, timeoutMs) => by.monitor('a', { initial: 0 }).run(never, { timeoutMs })],
  'multi-lock': [
    (by) => keep(by.lock('a').acquire()),
    (by, timeoutMs) => multiLock([by.lock('a'), by.lock('b')]).acquire({ timeoutMs }),
  ],
  'multi-lock, whose second member is held': [
    (by) => keep(by.lock('b').acquire()),
    (by, timeoutMs) => multiLock([by.lock('a'), by.lock('b')]).acquire({ timeoutMs }),
  ],
  latch: [
    async (by) => {
      await by.latch('a').trySetCount(1);
      return () => by.latch('a').countDown();
    },
    (by, timeoutMs) => by.latch('a').await({ timeoutMs }),
  ],
  barrier: [
    () => Promise.resolve(() => Promise.resolve()),
    (by, timeoutMs) => by.barrier('a', { parties: 2 }).arrive({ timeoutMs }),
  ],
};

describe('a watch takes longer than the waiter has, and the store answers all else: contention', () => {
  for (const [kind, [keepOut, wait]] of Object.entries(WAITS)) {
    test.each([250, 500, 1900])(`of a ${kind}, in %i ms`, (timeoutMs) =>
      play(async (stage) => {
        const { client } = await slowToWatch(stage);
        const end = await keepOut(stage.far('other'));
        const [ended, tookMs] = await timed(stage, () => wait(client, timeoutMs));
        expect(ended).toBe(kind === 'lock, tried' ? null : 'ACQUIRE_TIMEOUT');
        // With the time to ask who holds it.
        expect(tookMs).toBeGreaterThanOrEqual(timeoutMs);
        expect(tookMs).toBeLessThan(timeoutMs + 20);
        await end();
      }),
    );
  }

  test('and says who holds it', () =>
    play(async (stage) => {
      const { client } = await slowToWatch(stage);
      const held = await stage.far('other').lock('a').acquire();
      const waiting = client.lock('a').acquire({ timeoutMs: 500 });
      await expect(waiting).rejects.toMatchObject({ holder: { fence: held.fence } });
      await held.release();
    }));

  test('to those behind the first of their process, and to single attempts', () =>
    play(async (stage) => {
      const { client } = await slowToWatch(stage);
      const held = await stage.far('other').lock('a').acquire();
      const first = ending(client.lock('a').acquire({ timeoutMs: 1900 }));
      const behind = [300, 500, 1500].map((timeoutMs) => ending(client.lock('a').tryAcquire({ timeoutMs })));
      await stage.clock.sleep(400);
      expect(await ending(client.lock('a').tryAcquire())).toBe(null);
      expect(await Promise.all(behind)).toEqual([null, null, null]);
      expect(await first).toBe('ACQUIRE_TIMEOUT');
      await held.release();
    }));

  test('to a waiter that yields to others', () =>
    play(async (stage) => {
      const { client } = await slowToWatch(stage);
      const hold = await client.lock('a').acquire();
      const other = stage.far('other').lock('a').acquire();
      await stage.clock.sleep(60);
      const waiting = timed(stage, () => client.lock('a').tryAcquire({ timeoutMs: 900 }));
      await stage.clock.sleep(60);
      await hold.release();
      expect(await waiting).toEqual([null, 900]);
      await (await other).release();
    }));
});

describe('while a watch is under way', () => {
  test('a waiter acquires what has become free, and is not left to hear of it', () =>
    play(async (stage) => {
      const { client } = await slowToWatch(stage);
      const held = await stage.far('other').lock('a').acquire();
      const waiting = timed(stage, () => client.lock('a').acquire());
      await stage.clock.sleep(150);
      await held.release();
      const [hold, tookMs] = await waiting;
      expect(tookMs).toBeLessThan(400);
      await (hold as Awaited<ReturnType<ReturnType<Synchronizers['lock']>['acquire']>>).release();
    }));

  test('attempts become rare', () =>
    play(async (stage) => {
      const { client, counted } = await slowToWatch(stage);
      const held = await stage.far('other').lock('a').acquire();
      expect(await ending(client.lock('a').tryAcquire({ timeoutMs: 1900 }))).toBe(null);
      // The first, and after 100, 300, 700, 1200 and 1700 ms.
      expect(counted.attempts).toBe(6);
      await held.release();
    }));

  test('a watch that is answered within 100 ms costs no attempt of its own', () =>
    play(async (stage) => {
      const { client, counted } = await slowToWatch(stage, 90);
      const held = await stage.far('other').lock('a').acquire();
      expect(await ending(client.lock('a').tryAcquire({ timeoutMs: 1000 }))).toBe(null);
      // The first, and the one after the watch.
      expect(counted.attempts).toBe(2);
      await held.release();
    }));

  test('a release is heard of once the watch is answered, however late', () =>
    play(async (stage) => {
      const { client } = await slowToWatch(stage, 800);
      const held = await stage.far('other').lock('a').acquire();
      const waiting = client.lock('a').acquire();
      await stage.clock.sleep(900);
      const released = stage.clock.now();
      await held.release();
      const hold = await waiting;
      expect(stage.clock.now() - released).toBeLessThan(20);
      await hold.release();
    }));

  test('the store falls silent: an outage, although it has answered attempts', () =>
    play(async (stage) => {
      const { client, cable } = await connected(stage);
      const held = await stage.far('other').lock('a').acquire();
      cable.losesWatches = true;
      const waiting = timed(stage, () => client.lock('a').acquire({ timeoutMs: 1900 }));
      await stage.clock.sleep(400);
      cable.isCut = true;
      // Free for the rest of the time.
      await held.release();
      const behind = timed(stage, () => client.lock('a').tryAcquire({ timeoutMs: 1000 }));
      expect([await behind, await waiting]).toEqual([
        ['ENGINE', 1000],
        ['ENGINE', 1900],
      ]);
      cable.heal();
    }));
});
