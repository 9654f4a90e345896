import { describe, expect, test, vi } from 'vitest';
import type { FencedLock, Hold } from '../../src/index.ts';
import type { GrantHold } from '../../src/synchronizers/hold.ts';
import { RefusedError } from '../../src/core/failures/refused-error.ts';
import { EngineError, LeaseLostError } from '../../src/spi/errors.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';
import { DistantFleet, LEASE_MS } from './distant-fleet.ts';

function inFleet(body: (fleet: DistantFleet) => Promise<void>): () => Promise<void> {
  return async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      await using fleet = new DistantFleet(clock);
      await body(fleet);
    });
  };
}

/** Takes the lock, keeps it for a while, and writes down when it was in. */
async function section(fleet: DistantFleet, lock: FencedLock, name: string, ms: number, log: string[]) {
  await lock.run(async () => {
    log.push(name);
    if (ms > 0) await fleet.clock.sleep(ms);
  });
}

describe('those who ask for a fair lock in the same turn', () => {
  test(
    'have a ticket of their own if their hold is to last, and hand nothing on before',
    inFleet(async (fleet) => {
      const lock = fleet.lock();
      const start = fleet.clock.now();
      const lasting = (minHoldMs: number) => lock.run(() => undefined, { minHoldMs } as object);
      await Promise.all([lock.run(() => undefined), lasting(5000), lasting(5000), lock.run(() => undefined)]);
      expect(fleet.sent.filter((sent) => sent.startsWith('acquire'))).not.toContain('acquire 4');
      expect(fleet.clock.now() - start).toBeGreaterThanOrEqual(10_000);
    }),
  );

  test(
    'stand at one place, and have it one after the other, each with a fence of its own',
    inFleet(async (fleet) => {
      const lock = fleet.lock();
      const fences: bigint[] = [];
      const log: string[] = [];
      await Promise.all(
        ['one', 'two', 'three'].map((name) =>
          lock.run((hold) => {
            log.push(name);
            fences.push(hold.fence);
          }),
        ),
      );
      expect(log).toStrictEqual(['one', 'two', 'three']);
      expect(fleet.sent).toStrictEqual(['acquire 3', 'release']);
      expect(fences.map((fence) => fence - fences[0]!)).toStrictEqual([0n, 1n, 2n]);
    }),
  );

  test(
    'stay together when each comes again as soon as it has left',
    inFleet(async (fleet) => {
      const lock = fleet.lock();
      const workers = ['one', 'two', 'three'].map(async (name) => {
        for (let turn = 0; turn < 4; turn++) await section(fleet, lock, name, 0, []);
      });
      await Promise.all(workers);
      expect(fleet.sent).toStrictEqual(Array.from({ length: 4 }, () => ['acquire 3', 'release']).flat());
    }),
  );

  test(
    'are not overtaken by later waiters, nor do they overtake earlier ones, however long each takes',
    inFleet(async (fleet) => {
      const [here, there] = [fleet.lock(), fleet.lock()];
      const log: string[] = [];
      const enter = (lock: FencedLock, name: string) => section(fleet, lock, name, 200, log);
      const all = [enter(there, 'first')];
      await fleet.clock.sleep(10);
      all.push(enter(here, 'second'), enter(here, 'third'));
      await fleet.clock.sleep(10);
      all.push(enter(there, 'fourth'));
      await fleet.clock.sleep(10);
      all.push(enter(here, 'fifth'));
      await Promise.all(all);
      expect(log).toStrictEqual(['first', 'second', 'third', 'fourth', 'fifth']);
    }),
  );

  test(
    'keep their order when one of them asks for a lease of its own, or only tries',
    inFleet(async (fleet) => {
      const lock = fleet.lock();
      const log: string[] = [];
      const renewed = (name: string) => section(fleet, lock, name, 0, log);
      const all = [renewed('one'), renewed('two')];
      all.push(lock.run(() => void log.push('leased'), { leaseMs: 5000 }));
      all.push(renewed('three'));
      expect(await lock.tryAcquire()).toBeNull();
      await Promise.all(all);
      expect(log).toStrictEqual(['one', 'two', 'leased', 'three']);
      expect(fleet.sent.slice(0, 3)).toStrictEqual(['acquire 2', 'acquire 1', 'acquire 1']);
    }),
  );

  test(
    'are not passed by a single attempt while they wait for what is being given back',
    inFleet(async (fleet) => {
      const lock = fleet.lock();
      const hold = await lock.acquire();
      const releasing = hold.release();
      const waiting = lock.acquire();
      await fleet.clock.sleep(0);
      expect(await lock.tryAcquire()).toBeNull();
      await releasing;
      await (await waiting).release();
    }),
  );

  test(
    'do not suffer from one of them who gives up; and if all do, the place is given up',
    inFleet(async (fleet) => {
      const [here, there] = [fleet.lock(), fleet.lock()];
      const held = await there.acquire();
      const impatient = here.acquire({ timeoutMs: 100 });
      const patient = here.acquire({ timeoutMs: 10_000 });
      await expect(impatient).rejects.toMatchObject({ code: 'ACQUIRE_TIMEOUT' });
      await held.release();
      const hold = await patient;
      const leaving = [here.acquire({ timeoutMs: 100 }), here.acquire({ timeoutMs: 200 })];
      const outcomes = await Promise.allSettled(leaving);
      expect(outcomes.map(({ status }) => status)).toStrictEqual(['rejected', 'rejected']);
      await fleet.clock.sleep(10);
      expect(await there.waiters()).toBe(0);
      await hold.release();
      await (await there.acquire()).release();
    }),
  );

  test(
    'reject when the engine object is closed: those that wait for the store, and those behind them',
    inFleet(async (fleet) => {
      const lock = fleet.lock();
      const [first, second, third] = [lock.acquire(), lock.acquire(), lock.acquire()];
      const hold = await first;
      const others = [lock.acquire(), lock.acquire()];
      await fleet.clock.sleep(10);
      const closed = lock.locks.close();
      for (const waiting of [second, third, ...others])
        await expect(waiting).rejects.toMatchObject({ code: 'CLOSED' });
      await closed;
      expect(hold.lost.aborted).toBe(true);
      expect(await fleet.lock().isLocked()).toBe(false);
    }),
  );

  test(
    'reject too when their gate was given up before they asked again',
    inFleet(async (fleet) => {
      const lock = fleet.lock();
      const [first, ...others] = [lock.acquire(), lock.acquire(), lock.acquire()];
      const hold = await first;
      // Between their being told and their going on: idle gates are swept when there are many.
      const sweep = () => {
        for (let at = 0; at < 600; at++) lock.locks.fairLock(`b${at}`);
      };
      hold.lost.addEventListener('abort', () => queueMicrotask(sweep));
      await lock.forceRelease();
      await fleet.clock.sleep(10);
      const closed = lock.locks.close();
      const outcomes = await Promise.allSettled(others);
      expect(outcomes.map(({ status }) => status)).toStrictEqual(['fulfilled', 'rejected']);
      await closed;
    }),
  );

  test(
    'all learn of an error',
    inFleet(async (fleet) => {
      const lock = fleet.lock();
      fleet.acquireError = new Error('out of reach');
      const outcomes = await Promise.allSettled([lock.acquire(), lock.acquire()]);
      for (const outcome of outcomes) {
        expect(outcome.status === 'rejected' && outcome.reason.message).toBe('out of reach');
      }
      await (await lock.acquire()).release();
    }),
  );
});

describe('a grant that several stand for', () => {
  /** Two of one process: the first has it and works for long. */
  async function longSection(
    fleet: DistantFleet,
  ): Promise<{ hold: Hold; next: Promise<Hold>; lock: FencedLock }> {
    const lock = fleet.lock();
    const [first, next] = [lock.acquire(), lock.acquire()];
    const hold = await first;
    await fleet.clock.sleep(200);
    return { hold, next, lock };
  }

  test(
    'is confirmed by the store before it is handed on after a long section (soundness 13)',
    inFleet(async (fleet) => {
      const { hold, next } = await longSection(fleet);
      await hold.release();
      await (await next).release();
      expect(fleet.sent).toStrictEqual(['acquire 2', 'renew', 'release']);
    }),
  );

  test(
    'is not handed on when it was taken away: those who are left ask anew, behind who has it now',
    inFleet(async (fleet) => {
      const { hold, next } = await longSection(fleet);
      const there = fleet.lock();
      await there.forceRelease();
      const other = await there.acquire();
      await expect(hold.release()).rejects.toBeInstanceOf(LeaseLostError);
      let isIn = false;
      const entered = next.then((second) => {
        isIn = true;
        return second;
      });
      await fleet.clock.sleep(1000);
      expect(isIn).toBe(false);
      await other.release();
      const second = await entered;
      expect(second.fence).toBeGreaterThan(other.fence);
      await second.release();
    }),
  );

  test(
    'is given back, and not handed on, when the store cannot be asked',
    inFleet(async (fleet) => {
      const { hold, next } = await longSection(fleet);
      fleet.renewalError = new Error('out of reach');
      await hold.release();
      const second = await next;
      await second.release();
      expect(fleet.sent).toStrictEqual(['acquire 2', 'renew', 'release', 'acquire 1', 'release']);
    }),
  );

  test(
    'is given back, and not handed on, when it is nearly over before the store has answered',
    inFleet(async (fleet) => {
      const { hold, next } = await longSection(fleet);
      fleet.latencyMs = 12_000;
      const released = hold.release();
      await fleet.clock.sleep(24_000);
      fleet.latencyMs = 1;
      await released;
      await (await next).release();
      expect(fleet.sent.filter((one) => one !== 'renew')).toStrictEqual([
        'acquire 2',
        'release',
        'acquire 1',
        'release',
      ]);
    }),
  );

  test(
    'is handed on over a way that is longer than it is confirmed for',
    inFleet(async (fleet) => {
      fleet.latencyMs = 100;
      const { hold, next } = await longSection(fleet);
      await hold.release();
      await (await next).release();
      expect(fleet.sent).toStrictEqual(['acquire 2', 'renew', 'release']);
    }),
  );

  test(
    'is lost for its holder, and the others ask again',
    inFleet(async (fleet) => {
      const { hold, next, lock } = await longSection(fleet);
      await lock.forceRelease();
      const second = await next;
      expect(hold.lost.aborted).toBe(true);
      expect(second.lost.aborted).toBe(false);
      await expect(hold.release()).rejects.toBeInstanceOf(LeaseLostError);
      await second.release();
    }),
  );

  test(
    'and is lost on its way from hand to hand is not taken up by the next, who asks anew',
    inFleet(async (fleet) => {
      const lock = fleet.lock();
      const [first, next] = [lock.acquire(), lock.acquire()];
      const hold = (await first) as GrantHold;
      const released = hold.release();
      hold.grant.lose('gone');
      await released;
      const second = await next;
      expect(second.lost.aborted).toBe(false);
      await second.release();
    }),
  );

  test(
    'and is lost before any of them has it strands none: all of them ask again',
    inFleet(async (fleet) => {
      const lock = fleet.lock();
      const before = (await lock.acquire()) as GrantHold;
      await before.release();
      const { keeper } = before.grant.holdable.client;
      const keep = vi.spyOn(keeper, 'keep').mockImplementationOnce((grant) => {
        keeper.keep(grant);
        queueMicrotask(() => grant.lose('gone'));
      });
      const both = [lock.acquire(), lock.acquire()];
      for (const one of both) await (await one).release();
      expect(keep.mock.calls.length).toBe(3);
    }),
  );

  test(
    'is renewed for each of them for as long as a hold may be',
    inFleet(async (fleet) => {
      const lock = fleet.lock({ maxHoldMs: LEASE_MS * 2 });
      const [first, next] = [lock.acquire(), lock.acquire()];
      const hold = await first;
      await fleet.clock.sleep(LEASE_MS * 2.5);
      expect(hold.lost.aborted).toBe(false);
      await hold.release();
      const second = await next;
      await fleet.clock.sleep(LEASE_MS * 1.5);
      expect(second.lost.aborted).toBe(false);
      await second.release();
    }),
  );

  test(
    'is released once for each who had it, also when it is closed on its way from hand to hand',
    inFleet(async (fleet) => {
      const lock = fleet.lock();
      let released = 0;
      lock.locks.on('release', () => released++);
      const [first, next] = [lock.acquire(), lock.acquire()];
      const hold = await first;
      await fleet.clock.sleep(200);
      const releasing = hold.release();
      const closed = lock.locks.close();
      await expect(next).rejects.toMatchObject({ code: 'CLOSED' });
      await Promise.all([releasing, closed]);
      expect(released).toBe(1);
    }),
  );

  test(
    'never counts fewer than no waiters, when one gives up while the others are granted',
    inFleet(async (fleet) => {
      const lock = fleet.lock();
      fleet.latencyMs = 100;
      const [first, ...others] = [lock.acquire(), lock.acquire(), lock.acquire({ timeoutMs: 50 })];
      await expect(others[1]).rejects.toMatchObject({ code: 'ENGINE' });
      expect(await lock.waiters()).toBe(0);
      for (const one of [first, others[0]]) await (await one).release();
    }),
  );

  test(
    'tells how many wait, from wherever it is asked',
    inFleet(async (fleet) => {
      const lock = fleet.lock();
      const holds = [lock.acquire(), lock.acquire(), lock.acquire()];
      const hold = await holds[0]!;
      expect(await lock.waiters()).toBe(2);
      await hold.release();
      for (const later of holds.slice(1)) await (await later).release();
      expect(await lock.waiters()).toBe(0);
    }),
  );
});

describe('the time of those who wait for a fair lock ends', () => {
  const silence = new EngineError(
    'no answer',
    { resource: 'fair lock "a"', engine: 'far' },
    { retryable: true },
  );

  /** Null, or the code of the error. */
  const tried = (lock: FencedLock, timeoutMs: number) =>
    lock.tryAcquire({ timeoutMs }).then(
      (hold) => hold,
      (error: unknown) => (error as EngineError).code,
    );

  test(
    'just after a release was answered that they had waited for: contention',
    inFleet(async (fleet) => {
      const lock = fleet.lock();
      const hold = await lock.acquire();
      fleet.latencyMs = 140;
      const releasing = hold.release();
      expect(await tried(lock, 300)).toBeNull();
      await releasing;
    }),
  );

  test(
    'just after that release failed without an answer: an outage',
    inFleet(async (fleet) => {
      const lock = fleet.lock();
      const hold = await lock.acquire();
      fleet.latencyMs = 140;
      fleet.releaseError = silence;
      const releasing = hold.release().catch((reason: unknown) => reason);
      expect(await Promise.all([tried(lock, 300), tried(lock, 300)])).toStrictEqual(['ENGINE', 'ENGINE']);
      expect(await releasing).toBe(silence);
    }),
  );

  test(
    'at once, behind a waiter that has not asked because of that release: an outage',
    inFleet(async (fleet) => {
      const lock = fleet.lock();
      const hold = await lock.acquire();
      fleet.latencyMs = 140;
      fleet.releaseError = silence;
      const releasing = hold.release().catch((reason: unknown) => reason);
      const waiting = tried(lock, 300);
      expect(await tried(lock, 0)).toBe('ENGINE');
      const endedAt = fleet.clock.now();
      expect(await waiting).toBe('ENGINE');
      // With the release, and not with the request that the waiter sends after it.
      expect(endedAt).toBeLessThan(fleet.clock.now());
      expect(await releasing).toBe(silence);
      // The holder and the waiter: the single attempt has asked nothing.
      expect(fleet.sent.filter((one) => one === 'acquire 1')).toHaveLength(2);
    }),
  );

  test(
    'just after the store did not confirm what was to be handed on: an outage',
    inFleet(async (fleet) => {
      const lock = fleet.lock();
      const first = lock.acquire();
      const others = [tried(lock, 420), tried(lock, 420)];
      const hold = await first;
      await fleet.clock.sleep(98);
      fleet.latencyMs = 150;
      fleet.renewalError = silence;
      const releasing = hold.release();
      expect(await Promise.all(others)).toStrictEqual(['ENGINE', 'ENGINE']);
      await releasing;
    }),
  );

  test(
    'just after an answer: contention, whichever of them asks',
    inFleet(async (fleet) => {
      const lock = fleet.lock();
      const first = lock.acquire();
      const others = [tried(lock, 420), tried(lock, 420)];
      const hold = await first;
      await fleet.clock.sleep(98);
      fleet.latencyMs = 150;
      // The store has answered that it cannot confirm now, and those who are left ask anew.
      fleet.renewalError = new RefusedError('not now', silence, { retryable: true });
      const releasing = hold.release();
      expect(await Promise.all(others)).toStrictEqual([null, null]);
      await releasing;
    }),
  );

  test(
    'just after a waiter that asked alone has lost what it was granted: contention, however long it stood in line',
    inFleet(async (fleet) => {
      const [other, lock] = [fleet.lock(), fleet.lock()];
      const before = (await lock.acquire()) as GrantHold;
      await before.release();
      const { keeper } = before.grant.holdable.client;
      const held = await other.acquire();
      const waiting = tried(lock, 60_150);
      await fleet.clock.sleep(60_000);
      vi.spyOn(keeper, 'keep').mockImplementationOnce((grant) => {
        keeper.keep(grant);
        queueMicrotask(() => grant.lose('gone'));
        // It asks anew, and its time ends before the answer is there.
        fleet.latencyMs = 140;
      });
      await held.release();
      expect(await waiting).toBeNull();
      expect(fleet.sent.filter((one) => one === 'acquire 1').length > 3).toBe(true);
    }),
  );
});
