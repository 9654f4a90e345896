import { describe, expect, test } from 'vitest';
import { LineFleet } from '../../fixtures/lines/line-fleet.ts';

describe('waiting in a line', () => {
  test('a release wakes the next ticket alone, and idle waiters ask nothing', async () => {
    const fleet = new LineFleet({ latencyMs: 1 });
    await fleet.run(async () => {
      const members = Array.from({ length: 20 }, () => fleet.open({ renewalLeaseMs: 3000 }));
      const hold = await members[0]!.locks.fairLock('a').acquire();
      const waits = members.slice(1).map(async ({ locks }, at) => {
        const next = await locks.fairLock('a').acquire();
        if (at > 0) await fleet.clock.sleep(1);
        return next;
      });
      await fleet.untilTickets(20, 'fairLock', 'a');
      // Each member asks once who holds the ticket: the hold is of another engine object of this process, which may be behind itself.
      await fleet.clock.sleep(15_000);
      const before = members.map(({ link }) => link.requests);
      // Many slow looks of the wait loop, each a third of three seconds apart.
      await fleet.clock.sleep(60_000);
      const idle = members.slice(1).map(({ link }, at) => link.requests - before[at + 1]!);
      expect(idle).toEqual(idle.map(() => 0));
      await hold.release();
      const second = await waits[0]!;
      // Not even the one that is in has asked.
      const asked = members.slice(1).map(({ link }, at) => link.requests - before[at + 1]!);
      expect(asked).toEqual(asked.map(() => 0));
      await second.release();
      for (const waiting of waits.slice(1)) await (await waiting).release();
    });
  });

  test('a waiter whose predecessor gives up watches the next one, and is not woken for it', async () => {
    const fleet = new LineFleet({ latencyMs: 1 });
    await fleet.run(async () => {
      const members = Array.from({ length: 3 }, () => fleet.open());
      const [one, two, three] = members.map(({ locks }) => locks.fairLock('a'));
      const hold = await one!.acquire();
      const gone = two!.tryAcquire({ timeoutMs: 100 });
      await fleet.untilTickets(2, 'fairLock', 'a');
      const waiting = three!.acquire();
      await fleet.untilTickets(3, 'fairLock', 'a');
      expect(await gone).toBeNull();
      await fleet.untilTickets(2, 'fairLock', 'a');
      const since = members[2]!.link.requests;
      await fleet.clock.sleep(10);
      const start = fleet.clock.now();
      await hold.release();
      const next = await waiting;
      expect(fleet.clock.now() - start).toBeLessThan(20);
      // It has listed the line once, and watched the holder and its own ticket.
      expect(members[2]!.link.requests - since).toBeLessThanOrEqual(3);
      await next.release();
    });
  });

  test('a connection that breaks while the line is listed again leaves no waiter behind', async () => {
    const fleet = new LineFleet({ latencyMs: 10 });
    await fleet.run(async () => {
      const [one, two] = [fleet.open(), fleet.open()];
      const hold = await one.locks.fairLock('a').acquire();
      const waiting = two.locks.fairLock('a').acquire({ timeoutMs: 5000 });
      await fleet.untilTickets(2, 'fairLock', 'a');
      await fleet.clock.sleep(100);
      two.link.loseNextReply();
      await hold.release();
      const next = await waiting;
      expect(next.lost.aborted).toBe(false);
      await next.release();
    });
  });

  test('a ticket ahead that goes while the connection is broken is noticed afterwards', async () => {
    const fleet = new LineFleet({ latencyMs: 10 });
    await fleet.run(async () => {
      const [one, two] = [fleet.open(), fleet.open()];
      const hold = await one.locks.fairLock('a').acquire();
      const waiting = two.locks.fairLock('a').acquire({ timeoutMs: 5000 });
      await fleet.untilTickets(2, 'fairLock', 'a');
      await fleet.clock.sleep(100);
      const speak = two.link.silence();
      await hold.release();
      await fleet.clock.sleep(500);
      speak();
      const next = await waiting;
      expect(fleet.line('fairLock', 'a')).toHaveLength(1);
      await next.release();
    });
  });

  test('a waiter whose own ticket is taken away joins again', async () => {
    const fleet = new LineFleet();
    await fleet.run(async () => {
      const [one, two] = [fleet.open(), fleet.open()];
      const hold = await one.locks.fairLock('a').acquire();
      const waiting = two.locks.fairLock('a').acquire();
      await fleet.untilTickets(2, 'fairLock', 'a');
      fleet.server.leave({ kind: 'fairLock', name: 'a' }, fleet.line('fairLock', 'a')[1]!);
      await hold.release();
      const next = await waiting;
      expect(fleet.line('fairLock', 'a')).toHaveLength(1);
      await next.release();
    });
  });

  test('permits: whichever holder leaves, the waiter that has room now is in', async () => {
    const fleet = new LineFleet({ latencyMs: 1 });
    await fleet.run(async () => {
      const members = Array.from({ length: 4 }, () => fleet.open());
      const semaphores = members.map(({ locks }) => locks.semaphore('s', { permits: 3 }));
      const holds = [
        await semaphores[0]!.acquire(),
        await semaphores[1]!.acquire(),
        await semaphores[2]!.acquire(),
      ];
      for (const hold of holds.toReversed()) {
        const waiting = semaphores[3]!.acquire();
        await fleet.untilTickets(4, 'semaphore', 's');
        await hold.release();
        const start = fleet.clock.now();
        const next = await waiting;
        expect(fleet.clock.now() - start).toBeLessThan(20);
        await next.release();
        await fleet.untilTickets(2, 'semaphore', 's');
        holds[holds.indexOf(hold)] = await semaphores[0]!.acquire();
      }
      await Promise.all(holds.map((hold) => hold.release()));
    });
  });
});
