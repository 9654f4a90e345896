import { expect, test } from 'vitest';
import { multiLock } from '../../src/index.ts';
import { ending, play } from './stage.ts';

// Three sections run side by side under one hold and take turns. The first blocks the event loop for longer than the
// second would wait, and ends: the second's turn and its time-out come in the same instant.
test('a sibling whose turn comes together with its time-out takes the turn, and passes it on', async () => {
  await play(async (stage) => {
    const lock = stage.near('a').lock('x');
    const ended = await lock.run(() =>
      Promise.all([
        lock.run(async () => {
          await stage.clock.sleep(10);
          stage.clock.stall(100);
        }),
        lock.run(() => 'second', { timeoutMs: 50 }),
        lock.run(() => 'third'),
      ]),
    );
    expect(ended).toStrictEqual([undefined, 'second', 'third']);
  });
});

// A section starts three others and ends without waiting for them. The first is inside by then; the two that wait have lost the
// hold that they would re-enter from, and go to the store as owners of their own.
test('siblings whose own hold has ended all get their turn', async () => {
  await play(async (stage) => {
    const lock = stage.near('a').lock('x');
    const ended: string[] = [];
    const left: Promise<unknown>[] = [];
    await lock.run(async () => {
      for (const name of ['first', 'second', 'third'])
        left.push(
          lock.run(async () => {
            await stage.clock.sleep(10);
            ended.push(name);
          }),
        );
      await stage.clock.sleep(5);
    });
    await Promise.all(left);
    expect(ended).toStrictEqual(['first', 'second', 'third']);
    expect(await lock.isLocked()).toBe(false);
  });
});

// A section holds one of two locks and takes both inside. The other one is held elsewhere for a while; in that time a second
// branch asks for the first lock alone.
test('a multi-lock that runs in one branch excludes a member that runs in another, from its first grant on', async () => {
  await play(async (stage) => {
    const [one, other] = [stage.near('a'), stage.near('b')];
    const [held, contended] = [one.lock('x'), one.lock('y')];
    const rival = await other.lock('y').acquire();
    const events: string[] = [];
    await held.run(() =>
      Promise.all([
        multiLock([held, contended]).run(async () => {
          events.push('both in');
          await stage.clock.sleep(10);
          events.push('both out');
        }),
        stage.clock.sleep(5).then(() => held.run(() => events.push('one'))),
        stage.clock.sleep(50).then(() => rival.release()),
      ]),
    );
    expect(events).toStrictEqual(['both in', 'both out', 'one']);
  });
});

test('a multi-lock is held again by any mixture with its members', async () => {
  await play(async (stage) => {
    const client = stage.near('a');
    const [x, y] = [client.lock('x'), client.lock('y')];
    const both = multiLock([x, y]);
    const timeoutMs = 1000;
    await both.run(async () => {
      const outer = await both.acquire({ timeoutMs });
      const single = await x.acquire({ timeoutMs });
      await both.run(() => y.run(() => expect(y.holdCount()).toBe(4)), { timeoutMs });
      await Promise.all([single.release(), outer.release()]);
      expect([x.holdCount(), y.holdCount()]).toStrictEqual([1, 1]);
    });
    expect([await x.isLocked(), await y.isLocked()]).toStrictEqual([false, false]);
  });
});

// Reads under a write are one hold in the store. Two branches read, and each reads again inside.
test('branches that read under a write, and read again, do not wait for each other in a circle', async () => {
  await play(async (stage) => {
    const { read, write } = stage.near('a').readWriteLock('x');
    const timeoutMs = 1000;
    const branch = () =>
      read.run(async () => {
        await stage.clock.sleep(5);
        await read.run(() => stage.clock.sleep(5), { timeoutMs });
      });
    await write.run(async () => {
      await Promise.all([branch(), branch()]);
      const reading = await read.acquire({ timeoutMs });
      await write.run(() => read.run(() => write.run(() => undefined, { timeoutMs }), { timeoutMs }), {
        timeoutMs,
      });
      await reading.release();
    });
    expect([await read.isLocked(), await write.isLocked()]).toStrictEqual([false, false]);
  });
});

// An owner runs two sections at the same time, which is its own decision, and each goes deeper without naming it.
test('sections that an explicit owner runs at the same time do not wait for each other in a circle', async () => {
  await play(async (stage) => {
    const client = stage.near('a');
    const [lock, owner] = [client.lock('x'), client.owner('o')];
    const section = () =>
      lock.run(
        async () => {
          await stage.clock.sleep(5);
          await lock.run(() => stage.clock.sleep(5), { timeoutMs: 1000 });
        },
        { owner },
      );
    const outermost = await lock.acquire({ owner });
    await Promise.all([section(), section()]);
    expect(lock.holdCount(owner)).toBe(1);
    await outermost.release();
  });
});

// A hundred branches: each is woken once for its turn.
test('many branches of one scope run in the order in which they asked', async () => {
  await play(async (stage) => {
    const lock = stage.near('a').lock('x');
    const order: number[] = [];
    const asked = Array.from({ length: 100 }, (_, at) => at);
    await lock.run(() => Promise.all(asked.map((at) => lock.run(() => order.push(at)))));
    expect(order).toStrictEqual(asked);
  });
});

// One branch is inside; an acquire and two more runs wait for it. The acquire gets in, the first run asks before that hold has
// arrived and is refused, and the second run has to get its turn all the same: the hold is released only after it.
test('a branch that is refused passes its turn on', async () => {
  await play(async (stage) => {
    const lock = stage.near('a').lock('x');
    await lock.run(async () => {
      const inside = lock.run(() => stage.clock.sleep(10));
      const acquiring = lock.acquire();
      const runs = [lock.run(() => 'first'), lock.run(() => 'second')].map(ending);
      const hold = await acquiring;
      const ends = await Promise.all(runs);
      expect(ends.length).toBe(2);
      await hold.release();
      await inside;
    });
  });
});

// A section releases its own hold, and the grant is handed over to a waiter of the same process. Only then does the section ask
// what it holds: nothing, and the loss of the grant is the waiter's to hear of.
test('a section that has released its hold does not re-enter the grant that was handed over', async () => {
  await play(async (stage) => {
    const lock = stage.near('a').lock('x');
    const first = await lock.acquire();
    const section = lock.run(async (hold) => {
      await hold.release();
      const other = await second;
      const { lost } = other;
      expect(lock.holdCount()).toBe(0);
      expect(await lock.tryAcquire()).toBeNull();
      await lock.forceRelease();
      expect(lost.aborted).toBe(true);
    });
    // Of two that wait the first brings fences for both.
    const second = lock.acquire();
    await first.release();
    await section;
  });
});
