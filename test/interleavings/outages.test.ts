import { describe, expect, test } from 'vitest';
import { EngineError, type Hold, multiLock, type Synchronizers } from '../../src/index.ts';
import type { CellCall } from '../../src/kernels/cells/wire.ts';
import { Cable, connected, timed } from './cable.ts';
import { ending, play, type Stage, warmUp } from './stage.ts';

/** As the clients of a stage have it. */
const COMMAND_TIMEOUT_MS = 1000;

describe('the time of a waiter ends', () => {
  test('while its only attempt is unanswered: an outage, with what is known of its cause', () =>
    play(async (stage) => {
      const { client, cable } = await connected(stage);
      cable.isCut = true;
      const error = await client
        .lock('a')
        .acquire({ timeoutMs: 400 })
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(EngineError);
      expect(error).toMatchObject({
        name: 'EngineError',
        code: 'ENGINE',
        retryable: true,
        resource: 'lock "a"',
        engine: 'far',
        message: expect.stringMatching(/lock "a": far did not answer within 400 ms/),
      });
      expect(String((error as EngineError).cause)).toMatch(/no answer within 400 ms/);
      cable.isCut = false;
    }));

  test('after an attempt that broke: the outage tells why', () =>
    play(async (stage) => {
      let broken = false;
      const client = stage.far('far', { out: () => (broken ? 'broken' : undefined) });
      await warmUp(client);
      broken = true;
      await expect(client.lock('a').acquire({ timeoutMs: 400 })).rejects.toMatchObject({
        code: 'ENGINE',
        retryable: true,
        message: expect.stringMatching(/did not answer within 400 ms \(connection reset\)/),
        cause: new Error('connection reset'),
      });
      broken = false;
      await client.lock('a').run(() => undefined);
    }));

  test('asleep, after it was refused: contention, although nothing would be answered now', () =>
    play(async (stage) => {
      const { client, cable } = await connected(stage);
      const held = await stage.far('other').lock('a').acquire();
      const waiting = timed(stage, () => client.lock('a').tryAcquire({ timeoutMs: 400 }));
      await stage.clock.sleep(100);
      cable.isCut = true;
      expect(await waiting).toStrictEqual([null, 400]);
      cable.isCut = false;
      await held.release();
    }));

  // A lease of 301 ms of another process makes the waiter ask again when it is over.
  for (const [timeoutMs, end] of [
    [320, 'ACQUIRE_TIMEOUT'],
    [440, 'ENGINE'],
  ] as const) {
    test(`${timeoutMs - 301} ms after it asked again, of ${timeoutMs} ms in all: ${end}`, () =>
      play(async (stage) => {
        const { client, cable } = await connected(stage);
        await stage.far('other').lock('a').acquire({ leaseMs: 301 });
        const waiting = timed(stage, () => client.lock('a').acquire({ timeoutMs }));
        await stage.clock.sleep(100);
        cable.isCut = true;
        expect(await waiting).toStrictEqual([end, timeoutMs]);
        cable.isCut = false;
      }));
  }
});

describe('a waiter behind another of its process', () => {
  test('reports an outage that only the other one sees', () =>
    play(async (stage) => {
      const { client, cable } = await connected(stage);
      cable.isCut = true;
      const head = ending(client.lock('a').acquire({ timeoutMs: 900 }));
      const behind = [100, 200, 920, 905].map((timeoutMs) =>
        timed(stage, () => client.lock('a').tryAcquire({ timeoutMs })),
      );
      expect(await Promise.all(behind)).toStrictEqual([
        ['ENGINE', 100],
        ['ENGINE', 200],
        // The first has just given up, and the next has asked for a few milliseconds only when the last one goes.
        ['ENGINE', 920],
        ['ENGINE', 905],
      ]);
      expect(await head).toBe('ENGINE');
      cable.isCut = false;
    }));

  test.each([50, 300])('of %i ms reports an outage, however late the other one gives up', async (ms) => {
    for (let laterMs = 0; laterMs < 1; laterMs += 0.02) {
      await play(async (stage) => {
        const { client, cable } = await connected(stage);
        cable.isCut = true;
        // The head gives up, calls the waiter, and by then the time of the waiter is over, too.
        stage.clock.readingMs = 0.01;
        const head = ending(client.lock('a').acquire({ timeoutMs: ms }));
        const behind = ending(client.lock('a').tryAcquire({ timeoutMs: ms + laterMs }));
        expect(await Promise.all([head, behind]), `${laterMs} ms later`).toStrictEqual(['ENGINE', 'ENGINE']);
        stage.clock.readingMs = 0;
        cable.isCut = false;
      });
    }
  });

  test('reports an outage after the failure of the other one: a time-out of a command is no answer', () =>
    play(async (stage) => {
      const { client, cable } = await connected(stage);
      cable.isCut = true;
      const head = ending(client.lock('a').acquire());
      const behind = [2060, 2050].map((timeoutMs) =>
        timed(stage, () => client.lock('a').tryAcquire({ timeoutMs })),
      );
      expect(await head).toBe('ENGINE');
      expect(await Promise.all(behind)).toStrictEqual([
        ['ENGINE', 2060],
        ['ENGINE', 2050],
      ]);
      cable.isCut = false;
    }));

  test('reports an outage after an abort of the other one: nor is that an answer', () =>
    play(async (stage) => {
      const { client, cable } = await connected(stage);
      cable.isCut = true;
      const controller = new AbortController();
      const head = client.lock('a').acquire({ signal: controller.signal });
      const behind = [410, 400].map((timeoutMs) =>
        timed(stage, () => client.lock('a').tryAcquire({ timeoutMs })),
      );
      await stage.clock.sleep(395);
      controller.abort(new Error('enough'));
      await expect(head).rejects.toThrow(/enough/);
      expect(await Promise.all(behind)).toStrictEqual([
        ['ENGINE', 410],
        ['ENGINE', 400],
      ]);
      cable.isCut = false;
    }));

  test('reports an outage after a later attempt of the other one failed', () =>
    play(async (stage) => {
      const { client, cable } = await connected(stage);
      await stage.far('other').lock('a').acquire({ leaseMs: 301 });
      const head = ending(client.lock('a').acquire());
      const behind = [2360, 2350].map((timeoutMs) =>
        timed(stage, () => client.lock('a').tryAcquire({ timeoutMs })),
      );
      await stage.clock.sleep(100);
      cable.isCut = true;
      expect(await head).toBe('ENGINE');
      expect(await Promise.all(behind)).toStrictEqual([
        ['ENGINE', 2360],
        ['ENGINE', 2350],
      ]);
      cable.isCut = false;
    }));

  test('reports an outage after a release failed', () =>
    play(async (stage) => {
      const { client, cable } = await connected(stage);
      const hold: Hold = await client.lock('a').acquire({ leaseMs: 20_000 });
      const behind = [2060, 2050].map((timeoutMs) =>
        timed(stage, () => client.lock('a').tryAcquire({ timeoutMs })),
      );
      cable.isCut = true;
      const releasing = ending(hold.release());
      expect(await Promise.all(behind)).toStrictEqual([
        ['ENGINE', 2060],
        ['ENGINE', 2050],
      ]);
      cable.isCut = false;
      await releasing;
    }));

  test('reports contention when its turn comes just before its time ends', () =>
    play(async (stage) => {
      const { client } = await connected(stage);
      const hold = await client.lock('a').acquire();
      const waiting = timed(stage, () => client.lock('a').tryAcquire({ timeoutMs: 300 }));
      // The release is answered after 2 ms, and the waiter asks 1 ms before its end.
      await stage.clock.sleep(297);
      await hold.release();
      expect(await waiting).toStrictEqual([null, 300]);
    }));

  test('reports contention, however many before it are called when their time is over', () =>
    play(async (stage) => {
      const { client } = await connected(stage);
      const held = await stage.far('other').lock('a').acquire();
      stage.clock.readingMs = 0.1;
      const waits = Array.from({ length: 1000 }, (_, at) =>
        client.lock('a').tryAcquire({ timeoutMs: 200 + at / 1000 }),
      );
      expect((await Promise.all(waits)).every((hold) => hold === null)).toBe(true);
      stage.clock.readingMs = 0;
      await held.release();
    }));

  test('reports contention when it has yielded to others before it asks', () =>
    play(async (stage) => {
      const { client } = await connected(stage);
      const lock = client.lock('a');
      const held = await lock.acquire();
      // Another process stands in line and does not come, so this one yields for longer each time, up to 200 ms.
      const absent = await connected(stage, 'absent');
      const other = ending(absent.client.lock('a').acquire({ timeoutMs: 20_000 }));
      await stage.clock.sleep(10);
      absent.cable.losesAttempts = true;
      await held.release();
      for (let turn = 0; turn < 6; turn++) await (await lock.acquire({ timeoutMs: 5000 })).release();
      const hold = await lock.acquire();
      const since = stage.clock.now();
      const waiting = timed(stage, () => lock.tryAcquire({ timeoutMs: 500 }));
      await stage.clock.sleep(since + 297 - stage.clock.now());
      await hold.release();
      expect(await waiting).toStrictEqual([null, 500]);
      absent.cable.losesAttempts = false;
      await other;
    }));

  test('reports contention while the other one was refused and sleeps', () =>
    play(async (stage) => {
      const { client, cable } = await connected(stage);
      const held = await stage.far('other').lock('a').acquire();
      const head = ending(client.lock('a').acquire({ timeoutMs: 900 }));
      await stage.clock.sleep(100);
      cable.isCut = true;
      expect(await timed(stage, () => client.lock('a').tryAcquire({ timeoutMs: 400 }))).toStrictEqual([
        null,
        400,
      ]);
      expect(await head).toBe('ACQUIRE_TIMEOUT');
      cable.isCut = false;
      await held.release();
    }));

  test('reports contention while a hold of its own process is in the way', () =>
    play(async (stage) => {
      const { client, cable } = await connected(stage);
      const hold = await client.lock('a').acquire();
      cable.isCut = true;
      expect(await timed(stage, () => client.lock('a').tryAcquire({ timeoutMs: 400 }))).toStrictEqual([
        null,
        400,
      ]);
      cable.isCut = false;
      await hold.release();
    }));

  test('reports an outage while the hold before it is being released', () =>
    play(async (stage) => {
      const { client, cable } = await connected(stage);
      const hold: Hold = await client.lock('a').acquire({ leaseMs: 20_000 });
      const waiting = timed(stage, () => client.lock('a').tryAcquire({ timeoutMs: 500 }));
      cable.isCut = true;
      const releasing = ending(hold.release());
      expect(await waiting).toStrictEqual(['ENGINE', 500]);
      cable.isCut = false;
      await releasing;
    }));
});

const SHARED = 'an explicit owner, at a fair lock where several share a place';

/** Ways to wait for an acquisition of the same owner that is under way. */
const SAME_OWNER: Readonly<Record<string, (client: Synchronizers, body: Body) => Promise<void>>> = {
  'an explicit owner': async (client, body) => {
    const owner = client.owner('worker');
    await body((timeoutMs) => client.lock('a').tryAcquire({ owner, ...(timeoutMs && { timeoutMs }) }));
  },
  'an explicit owner, at a fair lock': async (client, body) => {
    const owner = client.owner('worker');
    await body((timeoutMs) => client.fairLock('a').tryAcquire({ owner, ...(timeoutMs && { timeoutMs }) }));
  },
  [SHARED]: async (client, body) => {
    const owner = client.owner('worker');
    await body((timeoutMs) => client.fairLock('a').tryAcquire({ owner, ...(timeoutMs && { timeoutMs }) }));
  },
  'a reader under its own write': (client, body) => {
    const { read, write } = client.readWriteLock('a');
    return write.run(() => body((timeoutMs) => read.tryAcquire(timeoutMs ? { timeoutMs } : undefined)));
  },
};

type Body = (acquire: (timeoutMs?: number) => Promise<Hold | null>) => Promise<void>;

describe.each(Object.keys(SAME_OWNER))('behind another acquisition of %s', (way) => {
  const playAs = (body: (stage: Stage, cable: Cable, acquire: Parameters<Body>[0]) => Promise<void>) =>
    play(async (stage) => {
      const { client, cable } = await connected(stage, 'far', way === SHARED);
      await SAME_OWNER[way]!(client, (acquire) => body(stage, cable, acquire));
    });

  test('a waiter reports the outage that the other one sees', () =>
    playAs(async (stage, cable, acquire) => {
      cable.isCut = true;
      const first = ending(acquire(900));
      // The last one asks the store itself, when the first has given up.
      const others = [400, 900.5, 950].map((timeoutMs) => timed(stage, () => acquire(timeoutMs)));
      expect(await Promise.all(others)).toStrictEqual([
        ['ENGINE', 400],
        ['ENGINE', 900.5],
        ['ENGINE', 950],
      ]);
      expect(await first).toBe('ENGINE');
      cable.isCut = false;
    }));

  test('a waiter reports the outage that a single attempt of the other one sees', () =>
    playAs(async (stage, cable, acquire) => {
      cable.isCut = true;
      const first = ending(acquire());
      expect(await timed(stage, () => acquire(400))).toStrictEqual(['ENGINE', 400]);
      expect(await first).toBe('ENGINE');
      cable.isCut = false;
    }));
});

describe('an explicit owner that asks twice', () => {
  test('reports an outage that the line of its first acquisition sees', () =>
    play(async (stage) => {
      const { client, cable } = await connected(stage);
      const [lock, owner] = [client.lock('a'), client.owner('worker')];
      cable.isCut = true;
      const head = ending(lock.acquire({ timeoutMs: 900 }));
      const first = ending(lock.acquire({ owner, timeoutMs: 800 }));
      expect(await timed(stage, () => lock.tryAcquire({ owner, timeoutMs: 400 }))).toStrictEqual([
        'ENGINE',
        400,
      ]);
      expect(await Promise.all([head, first])).toStrictEqual(['ENGINE', 'ENGINE']);
      cable.isCut = false;
    }));

  test('reports contention while its first acquisition is refused, and just after', () =>
    play(async (stage) => {
      const { client } = await connected(stage);
      const [lock, owner] = [client.lock('a'), client.owner('worker')];
      const held = await stage.far('other').lock('a').acquire();
      const first = timed(stage, () => lock.tryAcquire({ owner, timeoutMs: 299 }));
      // The last one asks the store 1 ms before its time ends.
      const others = [200, 300].map((timeoutMs) => timed(stage, () => lock.tryAcquire({ owner, timeoutMs })));
      expect(await Promise.all([first, ...others])).toStrictEqual([
        [null, 299],
        [null, 200],
        [null, 300],
      ]);
      await held.release();
    }));
});

describe('a single attempt', () => {
  test('ends within twice the time-out of a command, whatever others have left unanswered before it', () =>
    play(async (stage) => {
      const { client, cable } = await connected(stage);
      cable.isCut = true;
      for (let tries = 0; tries < 2; tries++) {
        expect(await timed(stage, () => client.lock('a').tryAcquire({ timeoutMs: 300 }))).toStrictEqual([
          'ENGINE',
          300,
        ]);
      }
      const [end, elapsedMs] = await timed(stage, () => client.lock('a').tryAcquire());
      expect(end).toBe('ENGINE');
      expect(elapsedMs, `${elapsedMs} ms`).toBeLessThanOrEqual(2 * COMMAND_TIMEOUT_MS);
      cable.isCut = false;
    }));

  test('ends so behind an acquisition of its owner too, however many stand before that one', () =>
    play(async (stage) => {
      const { client, cable } = await connected(stage);
      const owner = client.owner('worker');
      cable.isCut = true;
      const before = [1, 2, 3].map(() => ending(client.lock('a').acquire()));
      const own = ending(client.lock('a').acquire({ owner }));
      await stage.clock.sleep(100);
      const [end, elapsedMs] = await timed(stage, () => client.lock('a').tryAcquire({ owner }));
      expect(end).toBe('ENGINE');
      expect(elapsedMs).toBeLessThanOrEqual(2 * COMMAND_TIMEOUT_MS);
      cable.isCut = false;
      for (const each of [...before, own]) {
        const hold = await each;
        if (typeof hold === 'object') await hold?.release();
      }
    }));

  test('ends in time behind heads that are aborted one after the other', () =>
    play(async (stage) => {
      const { client, cable } = await connected(stage);
      cable.isCut = true;
      const heads = [1, 2, 3, 4].map((turn) => {
        const stop = new AbortController();
        void stage.clock.sleep(turn * 700).then(() => stop.abort('enough'));
        return client.lock('a').acquire({ signal: stop.signal }).catch(String);
      });
      const [end, elapsedMs] = await timed(stage, () => client.lock('a').tryAcquire());
      expect(end).toBe('ENGINE');
      expect(elapsedMs).toBeLessThanOrEqual(2 * COMMAND_TIMEOUT_MS);
      expect(new Set(await Promise.all(heads))).toStrictEqual(new Set(['enough']));
      cable.isCut = false;
    }));

  test('at a latch is one look: a closed latch is no outage, although nothing after the look is answered', () =>
    play(async (stage) => {
      let looks = 0;
      const client = stage.far('far', {
        query: () => (++looks > 1 ? 'lost' : undefined),
        watch: () => 'lost',
      });
      await stage.far('other').latch('a').trySetCount(1);
      const wait = () => client.latch('a').await({ timeoutMs: 0 });
      // The look is 1 ms on its way, and its answer too.
      expect(await timed(stage, wait)).toStrictEqual(['ACQUIRE_TIMEOUT', 2]);
      expect(looks).toBe(1);
    }));

  test('waits for its turn as long as the store answers others', () =>
    play(async (stage) => {
      const client = stage.far('far', {
        out: ({ verb }: CellCall) => (verb === 'acquire' ? 400 : undefined),
      });
      await warmUp(client);
      const semaphore = client.semaphore('a', { permits: 20 });
      // One change of a cell after the other: the last one comes up after eight seconds.
      const holds = await Promise.all(Array.from({ length: 20 }, () => semaphore.tryAcquire()));
      expect(holds).not.toContain(null);
      await Promise.all(holds.map((hold) => hold!.release()));
    }));

  test('that was never sent says that nothing was done; one that was sent, that it is not known', () =>
    play(async (stage) => {
      const { client, cable } = await connected(stage);
      cable.isCut = true;
      const latch = client.latch('a');
      const ends = await Promise.allSettled([latch.countDown(), latch.countDown()]);
      const told = [/latch "a".*whether it happened is not known/, /latch "a".*; nothing was done/];
      expect(ends).toMatchObject(
        told.map((text) => ({ status: 'rejected', reason: { message: expect.stringMatching(text) } })),
      );
      cable.isCut = false;
    }));
});

describe('during an outage', () => {
  test('a waiter with a short lease gives up, and leaves the line of the store when the store is back', () =>
    play(async (stage) => {
      let isBroken = false;
      const client = stage.far('far', {
        out: ({ verb }: CellCall) => (isBroken && verb === 'release' ? 'broken' : undefined),
      });
      const other = stage.far('other').fairLock('a');
      const held = await other.acquire();
      const waiting = ending(client.fairLock('a').tryAcquire({ leaseMs: 100, timeoutMs: 400 }));
      await stage.clock.sleep(100);
      expect(await other.waiters()).toBe(1);
      isBroken = true;
      expect(await waiting).toBeNull();
      // Longer than its lease, and than the first withdrawal is repeated.
      await stage.clock.sleep(3000);
      isBroken = false;
      await stage.clock.sleep(5000);
      expect(await other.waiters()).toBe(0);
      await held.release();
    }));

  test('the error of each caller names its own lock, also where they share a request', () =>
    play(async (stage) => {
      const cable = new Cable();
      const client = stage.far('far', cable.hooks);
      cable.isCut = true;
      const names = ['alpha', 'beta', 'gamma'];
      const ends = await Promise.allSettled(names.map((name) => client.lock(name).acquire()));
      for (const [at, end] of ends.entries()) {
        const reason: unknown = end.status === 'rejected' ? end.reason : undefined;
        expect(reason).toBeInstanceOf(EngineError);
        expect(reason).toMatchObject({
          resource: `lock "${names[at]}"`,
          message: expect.stringMatching(
            new RegExp(`^lock "${names[at]}": far did not answer.*nothing was done`),
          ),
        });
      }
      cable.isCut = false;
    }));

  test('a multi-lock that has some of its members gives them back, and says so in time', () =>
    play(async (stage) => {
      const { client } = await connected(stage, 'one');
      const { client: other, cable } = await connected(stage, 'two');
      const both = multiLock([client.lock('a'), other.lock('b')]);
      cable.isCut = true;
      expect(await timed(stage, () => both.tryAcquire({ timeoutMs: 500 }))).toStrictEqual(['ENGINE', 500]);
      cable.isCut = false;
      await client.lock('a').run(() => undefined);
      await both.run(() => undefined);
    }));

  test('a section that waits for a condition stays in it, and is answered when the store is', () =>
    play(async (stage) => {
      const { client, cable } = await connected(stage);
      const monitor = client.monitor('a', { initial: 0 });
      const waiting = monitor.run((m) => m.wait('more', { timeoutMs: 500 }));
      await stage.clock.sleep(100);
      cable.losesAttempts = true;
      const other = stage.far('other').monitor('a', { initial: 0 });
      await other.run((m) => m.signal('more'));
      await stage.clock.sleep(700);
      cable.losesAttempts = false;
      expect(await waiting, 'it was signalled in time, and came back when it could').toBe(true);
    }));
});
