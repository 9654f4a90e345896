import { describe, expect, test } from 'vitest';
import { memory, type MemorySynchronizers } from '../../src/engines/memory/index.ts';
import { type Acquirable, type Hold, multiLock, type WaitOptions } from '../../src/index.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';

/** The error of a call whose time is over. */
async function thrownBy(call: (locks: MemorySynchronizers) => Promise<unknown>): Promise<Error> {
  const clock = new VirtualClock();
  return clock.run(async () => {
    const locks = memory({ clock });
    const error = await call(locks).catch((thrown: unknown) => thrown);
    await locks.close();
    expect(error).toMatchObject({ code: 'ACQUIRE_TIMEOUT' });
    return error as Error;
  });
}

/** What it says. */
async function saidBy(call: (locks: MemorySynchronizers) => Promise<unknown>): Promise<string> {
  return (await thrownBy(call)).message;
}

/** Acquires, and answers what a second owner of the process hears. */
function saidBehind(
  of: (locks: MemorySynchronizers) => Acquirable<WaitOptions, Hold>,
  rival = of,
): Promise<string> {
  return saidBy(async (locks) => {
    await of(locks).acquire();
    await rival(locks).acquire({ timeoutMs: 200 });
  });
}

describe('a time-out behind an owner of the same process', () => {
  test('of a lock says how to re-enter', async () => {
    for (const kind of ['lock', 'fairLock'] as const)
      expect(await saidBehind((locks) => locks[kind]('a'))).toMatch(/very process.* inside lock\.run\(\)/);
  });

  test('of a read-write lock names the write side: an owner that only reads never gets it', async () => {
    const read = (locks: MemorySynchronizers) => locks.readWriteLock('a').read;
    const write = (locks: MemorySynchronizers) => locks.readWriteLock('a').write;
    for (const [of, rival] of [
      [read, write],
      [write, read],
    ] as const) {
      const said = await saidBehind(of, rival);
      expect(said).toMatch(/very process.* inside write\.run\(\)/);
      expect(said).toMatch(/only reads never gets the write side\.$/);
    }
  });

  test('of permits gives no such advice: they are not re-entrant', async () => {
    for (const kind of ['semaphore', 'permitSemaphore'] as const) {
      const said = await saidBehind((locks) => locks[kind]('a', { permits: 1 }));
      expect(said).toMatch(/held by this very process .*wait longer\.$/);
    }
  });

  test('of an election and a monitor neither: a leader does not campaign, and monitors do not nest', async () => {
    const election = saidBy(async (locks) => {
      await locks.election('a').campaign();
      await locks.election('a').campaign({ timeoutMs: 200 });
    });
    const monitor = saidBy(async (locks) => {
      const monitored = locks.monitor('a', { initial: 0 });
      let leave = (): void => undefined;
      let first: Promise<void> | undefined;
      await new Promise<void>((entered) => {
        first = monitored.run(async () => {
          entered();
          await new Promise<void>((resolve) => {
            leave = resolve;
          });
        });
      });
      try {
        await monitored.run(() => undefined, { timeoutMs: 200 });
      } finally {
        leave();
        await first;
      }
    });
    for (const said of [await election, await monitor])
      expect(said).toMatch(/held by this very process .*wait longer\.$/);
  });
});

test('a time-out behind what minHoldMs has left of a hold says so: its last holder works no more', async () => {
  const said = await saidBy(async (locks) => {
    await locks.lock('a').run(() => 1, { minHoldMs: 60_000 });
    await locks.lock('a').acquire({ timeoutMs: 20_000 });
  });
  expect(said).toMatch(
    /^lock "a" was not acquired within 20000 ms: released by .*pid \d+\), and kept by its minHoldMs for another 40 s\. Nothing was acquired; try again, or wait longer\.$/,
  );
});

test('a time-out of a multi-lock names the member that was not acquired, and its holder', async () => {
  for (const timeoutMs of [0, 500]) {
    const error = await thrownBy(async (locks) => {
      await locks.lock('b').acquire();
      await multiLock([locks.lock('a'), locks.lock('b')]).acquire({ timeoutMs });
    });
    expect(error).toMatchObject({ holder: { inThisProcess: true }, resource: 'multiLock ["a", "b"]' });
    expect(error.message).toMatch(
      /^multiLock \["a", "b"\] was not acquired within \d+ ms: lock "b" is held by this very process for \d+ m?s\. /,
    );
  }
});

describe('a time-out of what is not acquired', () => {
  test.each([0, 200])('says that a latch did not open within %i ms', async (timeoutMs) => {
    const said = await saidBy(async (locks) => {
      await locks.latch('start').trySetCount(1);
      await locks.latch('start').await({ timeoutMs });
    });
    expect(said).toBe(
      `latch "start" did not open within ${timeoutMs} ms. Its count is as it was; wait again, or longer.`,
    );
  });

  test.each([0, 200])(
    'says that parties of a barrier are missing after %i ms, and that it is broken',
    async (timeoutMs) => {
      const said = await saidBy(async (locks) => {
        const barrier = locks.barrier('start', { parties: 2 });
        try {
          await barrier.arrive({ timeoutMs });
        } finally {
          expect(await barrier.isBroken()).toBe(true);
        }
      });
      expect(said).toBe(
        `barrier "start": not all parties arrived within ${timeoutMs} ms. The barrier is broken now, for the others too; reset it before it is used again.`,
      );
    },
  );
});
