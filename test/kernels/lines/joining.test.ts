import { describe, expect, test, vi } from 'vitest';
import { LineFleet } from '../../fixtures/lines/line-fleet.ts';

describe('joining a line', () => {
  test('a join whose answer was lost is found again and not made twice', async () => {
    const fleet = new LineFleet({ latencyMs: 5 });
    await fleet.run(async () => {
      const { locks, link } = fleet.open();
      await locks.fairLock('other').run(() => undefined);
      link.loseNextReply();
      const hold = await locks.fairLock('a').acquire();
      expect(fleet.line('fairLock', 'a')).toHaveLength(1);
      await hold.release();
    });
  });

  test('an uncontended acquisition is one request, and so is its release', async () => {
    const fleet = new LineFleet({ latencyMs: 5 });
    await fleet.run(async () => {
      const { locks, link } = fleet.open();
      await locks.lock('a').run(() => undefined);
      const before = link.requests;
      const start = fleet.clock.now();
      const hold = await locks.lock('a').acquire();
      expect([link.requests - before, fleet.clock.now() - start]).toEqual([1, 10]);
      await hold.release();
      expect([link.requests - before, fleet.clock.now() - start]).toEqual([2, 20]);
    });
  });

  test('a single attempt that fails is answered when its ticket has left, one round trip later', async () => {
    const fleet = new LineFleet({ latencyMs: 5 });
    await fleet.run(async () => {
      const [one, two] = [fleet.open(), fleet.open()];
      const hold = await one.locks.readWriteLock('a').write.acquire();
      await two.locks.lock('other').run(() => undefined);
      const start = fleet.clock.now();
      expect(await two.locks.readWriteLock('a').write.tryAcquire()).toBeNull();
      expect(fleet.clock.now() - start).toBe(20);
      expect(fleet.line('readWriteLock', 'a')).toHaveLength(1);
      await hold.release();
    });
  });

  test('a release never overtakes the ticket of a single attempt that was refused before it', async () => {
    const fleet = new LineFleet({ latencyMs: 5 });
    await fleet.run(async () => {
      const [near, far] = [fleet.open({ latencyMs: 1 }), fleet.open({ latencyMs: 50 })];
      const hold = await near.locks.readWriteLock('a').write.acquire();
      expect(await far.locks.readWriteLock('a').write.tryAcquire()).toBeNull();
      await hold.release();
      expect(await near.locks.readWriteLock('a').write.isLocked()).toBe(false);
      expect(await near.locks.readWriteLock('a').write.tryAcquire()).not.toBeNull();
    });
  });

  test('a wait that is given up while its join is under way leaves no ticket', async () => {
    const fleet = new LineFleet({ latencyMs: 50 });
    await fleet.run(async () => {
      const { locks } = fleet.open();
      await locks.lock('other').run(() => undefined);
      await expect(locks.fairLock('a').acquire({ timeoutMs: 20 })).rejects.toThrow(/did not answer/);
      // The join arrives at 50 ms, and the withdrawal must not overtake it.
      await fleet.clock.sleep(60);
      await fleet.untilTickets(0, 'fairLock', 'a');
      await locks.fairLock('a').run(() => undefined);
    });
  });

  test('a wait that is given up while the session is being opened leaves no ticket', async () => {
    const fleet = new LineFleet({ latencyMs: 50 });
    await fleet.run(async () => {
      const { locks } = fleet.open();
      await expect(locks.fairLock('a').acquire({ timeoutMs: 20 })).rejects.toThrow(/did not answer/);
      // The session is open at 100 ms. An attempt that went on then would make a ticket whose owner has left.
      await fleet.clock.sleep(1000);
      expect(fleet.line('fairLock', 'a')).toEqual([]);
    });
  });

  test('a wait that is given up while the next session is being opened leaves no ticket', async () => {
    const fleet = new LineFleet({ latencyMs: 50 });
    await fleet.run(async () => {
      const [one, two] = [fleet.open(), fleet.open()];
      const hold = await one.locks.fairLock('a').acquire();
      const waiting = two.locks.fairLock('a').tryAcquire({ timeoutMs: 1000 });
      await fleet.untilTickets(2, 'fairLock', 'a');
      const outcome = waiting.catch(() => null);
      await fleet.clock.sleep(780);
      fleet.server.end(two.link.session!);
      expect(await outcome).toBeNull();
      await fleet.clock.sleep(1000);
      expect(fleet.line('fairLock', 'a')).toHaveLength(1);
      await hold.release();
    });
  });

  test('a waiter whose ticket was taken away, and whose next join is lost twice, leaves no ticket behind', async () => {
    const fleet = new LineFleet({ latencyMs: 5 });
    await fleet.run(async () => {
      const [one, two] = [fleet.open(), fleet.open()];
      const hold = await one.locks.fairLock('a').acquire();
      const waiting = two.locks.fairLock('a').acquire();
      await fleet.untilTickets(2, 'fairLock', 'a');
      await fleet.clock.sleep(50);
      fleet.server.leave({ kind: 'fairLock', name: 'a' }, fleet.line('fairLock', 'a')[1]!);
      for (const verb of ['join', 'find'] as const) {
        const asked = two.link[verb].bind(two.link) as (...args: unknown[]) => unknown;
        vi.spyOn(two.link, verb).mockImplementationOnce(((...args: unknown[]) => {
          two.link.loseNextReply();
          return asked(...args);
        }) as never);
      }
      await hold.release();
      await expect(waiting).rejects.toMatchObject({ code: 'ENGINE', retryable: true });
      // Whether there is a ticket is not known, so the waiter must neither go in with the number of the old one nor leave the new one.
      await fleet.clock.sleep(1000);
      expect(fleet.line('fairLock', 'a')).toEqual([]);
    });
  });

  test('a join that was given up with its answer lost leaves no ticket either', async () => {
    const fleet = new LineFleet({ latencyMs: 50 });
    await fleet.run(async () => {
      const { locks, link } = fleet.open();
      await locks.lock('other').run(() => undefined);
      link.loseNextReply();
      await expect(locks.fairLock('a').acquire({ timeoutMs: 20 })).rejects.toThrow(/did not answer/);
      await fleet.clock.sleep(60);
      await fleet.untilTickets(0, 'fairLock', 'a');
    });
  });

  test('a wait that is given up while its lost join is looked for makes no ticket afterwards', async () => {
    const fleet = new LineFleet({ latencyMs: 50 });
    await fleet.run(async () => {
      const { locks, link } = fleet.open();
      await locks.lock('other').run(() => undefined);
      const speak = link.silence();
      const waiting = locks
        .fairLock('a')
        .tryAcquire({ timeoutMs: 200 })
        .catch(() => null);
      await fleet.clock.sleep(55);
      // The join never arrived. The session is resumed at 155 ms, the ticket is looked for until 255 ms, and then joined again.
      speak();
      expect(await waiting).toBeNull();
      await fleet.clock.sleep(500);
      expect(fleet.line('fairLock', 'a')).toEqual([]);
    });
  });

  test('a release that never arrived is repeated', async () => {
    const fleet = new LineFleet({ latencyMs: 20 });
    await fleet.run(async () => {
      const { locks, link } = fleet.open();
      const hold = await locks.fairLock('a').acquire();
      const speak = link.silence();
      const releasing = hold.release();
      await fleet.clock.sleep(50);
      speak();
      await releasing;
      expect(fleet.line('fairLock', 'a')).toEqual([]);
    });
  });

  test('a release whose connection breaks again and again arrives all the same', async () => {
    const fleet = new LineFleet({ latencyMs: 20 });
    await fleet.run(async () => {
      const { locks, link } = fleet.open();
      const hold = await locks.fairLock('a').acquire();
      const flapping = (async () => {
        for (let round = 0; round < 5; round++) {
          link.breakConnection();
          await fleet.clock.sleep(45);
        }
      })();
      await hold.release();
      await flapping;
      expect(fleet.line('fairLock', 'a')).toEqual([]);
      expect(hold.lost.aborted).toBe(false);
    });
  });

  test('a hold of a second hears at once that its ticket was taken away, and asks once for that', async () => {
    const fleet = new LineFleet({ latencyMs: 5 });
    await fleet.run(async () => {
      const [one, two] = [fleet.open(), fleet.open()];
      const hold = await one.locks.lock('a').acquire();
      const asked = one.link.requests;
      await fleet.clock.sleep(1100);
      expect(one.link.requests - asked).toBe(1);
      await two.locks.lock('a').forceRelease();
      await fleet.clock.sleep(10);
      expect(hold.lost.aborted).toBe(true);
    });
  });

  test('a ticket that was taken away before the first look is missed when the hold is a second old', async () => {
    const fleet = new LineFleet({ latencyMs: 5 });
    await fleet.run(async () => {
      const [one, two] = [fleet.open(), fleet.open()];
      const hold = await one.locks.lock('a').acquire();
      await two.locks.lock('a').forceRelease();
      await fleet.clock.sleep(1100);
      expect(hold.lost.aborted).toBe(true);
    });
  });

  test('each of many holds is watched in its time', async () => {
    const fleet = new LineFleet({ latencyMs: 5 });
    await fleet.run(async () => {
      const { locks, link } = fleet.open();
      await locks.lock('first').run(() => undefined);
      const holds = [];
      for (let at = 0; at < 5; at++) {
        holds.push(await locks.lock(`a${at}`).acquire());
        await fleet.clock.sleep(100);
      }
      const asked = link.requests;
      await holds[1]!.release();
      await fleet.clock.sleep(2000);
      // The release, and a watch for each of the others.
      expect(link.requests - asked).toBe(1 + 4);
      for (const hold of [holds[0]!, ...holds.slice(2)]) await hold.release();
    });
  });
});
