import { describe, expect, test } from 'vitest';
import { LeaseLostError } from '../../../src/index.ts';
import { LineFleet } from '../../fixtures/lines/line-fleet.ts';

const MARGIN_MS = 0.01 * 9000 + 20;

describe('the session of a line', () => {
  test('a holder that is cut off loses its hold before the store ends its ticket', async () => {
    const fleet = new LineFleet({ latencyMs: 5 });
    await fleet.run(async () => {
      const [one, two] = [fleet.open(), fleet.open()];
      const hold = await one.locks.fairLock('a').acquire();
      const waiting = two.locks.fairLock('a').acquire();
      await fleet.untilTickets(2, 'fairLock', 'a');
      let lostAt = Infinity;
      hold.lost.addEventListener('abort', () => {
        lostAt = fleet.clock.now();
      });
      await fleet.clock.sleep(4000);
      const speak = one.link.silence();
      const next = await waiting;
      expect(lostAt).toBeLessThan(fleet.clock.now() - MARGIN_MS / 2);
      expect(hold.lost.reason).toBeInstanceOf(LeaseLostError);
      expect(next.fence).toBeGreaterThan(hold.fence);
      speak();
      await next.release();
    });
  });

  test('the deadline counts from when the heartbeat was sent, however late its answer comes', async () => {
    const fleet = new LineFleet({ latencyMs: 1000 });
    await fleet.run(async () => {
      const { locks } = fleet.open({ renewalLeaseMs: 60_000 });
      const hold = await locks.fairLock('a').acquire();
      // The session was opened by a request that was sent 4,000 ms ago: two round trips.
      expect(hold.remainingMs).toBe(9000 - MARGIN_MS - 4000);
      await hold.release();
    });
  });

  test('a session that is always opened later than it lasts rejects, and gives up what it was given', async () => {
    // A round trip ends between the deadline and the end of the session.
    const fleet = new LineFleet({ latencyMs: (9000 - MARGIN_MS / 2) / 2 });
    await fleet.run(async () => {
      const { locks } = fleet.open();
      const trying = locks.lock('a').acquire({ timeoutMs: 60_000 });
      await expect(trying).rejects.toMatchObject({ code: 'ENGINE', retryable: true });
      await fleet.clock.sleep(9000);
      expect(fleet.server.census().sessions).toBe(0);
    });
  });

  test('a connection that flaps within the session loses nothing and makes nothing again', async () => {
    const fleet = new LineFleet({ latencyMs: 5 });
    await fleet.run(async () => {
      const [one, two] = [fleet.open(), fleet.open()];
      const hold = await one.locks.fairLock('a').acquire();
      const waiting = two.locks.fairLock('a').acquire();
      await fleet.untilTickets(2, 'fairLock', 'a');
      const line = fleet.line('fairLock', 'a');
      const sessions = [one.link.session, two.link.session];
      for (let round = 0; round < 40; round++) {
        one.link.breakConnection();
        two.link.breakConnection();
        await fleet.clock.sleep(500);
      }
      hold.throwIfLost();
      expect(fleet.line('fairLock', 'a')).toEqual(line);
      expect([one.link.session, two.link.session]).toEqual(sessions);
      await hold.release();
      await (await waiting).release();
    });
  });

  test('a new session revives no hold, and a waiter starts again as a new owner', async () => {
    const fleet = new LineFleet();
    await fleet.run(async () => {
      const [one, two] = [fleet.open(), fleet.open()];
      const hold = await one.locks.fairLock('a').acquire();
      const waiting = two.locks.fairLock('a').acquire();
      const mine = await two.locks.fairLock('b').acquire();
      await fleet.untilTickets(2, 'fairLock', 'a');
      // The wait loop has tried, and sleeps.
      await fleet.clock.sleep(50);
      const [, before] = fleet.line('fairLock', 'a');
      fleet.server.end(two.link.session!);
      two.link.breakConnection();
      const start = fleet.clock.now();
      await fleet.untilTickets(2, 'fairLock', 'a');
      // At once, and not with the next slow look of its wait, ten seconds later.
      expect(fleet.clock.now() - start).toBeLessThan(1000);
      const [, after] = fleet.line('fairLock', 'a');
      expect(after).not.toBe(before);
      expect(mine.lost.aborted).toBe(true);
      await expect(mine.release()).rejects.toMatchObject({ code: 'LEASE_LOST' });
      await hold.release();
      await (await waiting).release();
    });
  });

  test('a session that the client gave up is ended in the store, however long it would have lived', async () => {
    const fleet = new LineFleet({ latencyMs: 5 });
    await fleet.run(async () => {
      const [one, two] = [fleet.open(), fleet.open()];
      const hold = await one.locks.fairLock('a').acquire();
      await two.locks.fairLock('b').run(() => undefined);
      const before = one.link.session!;
      // The process stands still past its deadline, and runs on just before the store would have ended the session.
      const left = hold.remainingMs;
      fleet.clock.stall(left + MARGIN_MS / 2);
      expect(() => hold.throwIfLost()).toThrow(LeaseLostError);
      await fleet.clock.sleep(50);
      expect(fleet.server.isAlive(before)).toBe(false);
      await two.locks.fairLock('a').run(() => undefined);
    });
  });

  test('a ticket that is removed by hand ends its hold at once, after the first renewal', async () => {
    const fleet = new LineFleet({ latencyMs: 5 });
    await fleet.run(async () => {
      const { locks, link } = fleet.open({ renewalLeaseMs: 3000 });
      const hold = await locks.fairLock('a').acquire();
      await fleet.clock.sleep(1100);
      const before = link.requests;
      await fleet.clock.sleep(30_000);
      // Renewed ten times by the watch on its own ticket alone.
      expect(link.requests).toBe(before);
      fleet.server.leave({ kind: 'fairLock', name: 'a' }, fleet.line('fairLock', 'a')[0]!);
      await fleet.clock.sleep(6);
      expect(hold.lost.reason).toMatchObject({ reason: 'gone' });
      await expect(hold.release()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    });
  });
});
