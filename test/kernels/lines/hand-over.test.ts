import { describe, expect, test } from 'vitest';
import { LineFleet, type LineMember } from '../../fixtures/lines/line-fleet.ts';

const LINE = { kind: 'fairLock', name: 'a' } as const;
/** So long that every wait stands in line and watches, and no renewal is due. */
const SETTLED_MS = 100;

function opened(fleet: LineFleet, count: number): readonly LineMember[] {
  return Array.from({ length: count }, () => fleet.open());
}

/** Members that ask one after the other: the first holds, the others wait in this order. */
async function inLine(fleet: LineFleet, members: readonly LineMember[]) {
  const waits = [];
  for (const [at, { locks }] of members.entries()) {
    waits.push(locks.fairLock(LINE.name).acquire());
    await fleet.untilTickets(at + 1, LINE.kind, LINE.name);
  }
  await fleet.clock.sleep(SETTLED_MS);
  return waits;
}

/** Whose ticket is the first of the line. */
function first(fleet: LineFleet): string | undefined {
  return fleet.server.look(LINE)[0]?.session;
}

describe('a hand-over in a line', () => {
  test('costs the owner that is next no request, and half a round trip', async () => {
    const fleet = new LineFleet({ latencyMs: 5 });
    await fleet.run(async () => {
      const [one, two] = opened(fleet, 2);
      const [hold, next] = await inLine(fleet, [one!, two!]);
      const before = two!.link.requests;
      const { fence } = await hold!;
      const start = fleet.clock.now();
      const releasing = (await hold!).release();
      const second = await next!;
      expect(fleet.clock.now() - start).toBe(10);
      expect(two!.link.requests).toBe(before);
      expect(second.fence).toBeGreaterThan(fence);
      await releasing;
      await second.release();
    });
  });

  test('costs one list where another ticket was ahead as well', async () => {
    const fleet = new LineFleet({ latencyMs: 5 });
    await fleet.run(async () => {
      const [one, two, three] = opened(fleet, 3);
      const [hold, second, third] = await inLine(fleet, [one!, two!, three!]);
      await (await hold!).release();
      const holder = await second!;
      const before = three!.link.requests;
      await holder.release();
      await (await third!).release();
      // A list, and the release.
      expect(three!.link.requests - before).toBe(2);
    });
  });

  test('costs no list when the ticket ahead goes between the join and the watch', async () => {
    const fleet = new LineFleet({ latencyMs: 5 });
    await fleet.run(async () => {
      const [one, two] = opened(fleet, 2);
      const hold = await one!.locks.fairLock('a').acquire();
      await two!.locks.fairLock('b').run(() => undefined);
      const before = two!.link.requests;
      const waiting = two!.locks.fairLock('a').acquire();
      await fleet.untilTickets(2, LINE.kind, LINE.name);
      fleet.server.leave(LINE, fleet.line(LINE.kind, LINE.name)[0]!);
      const next = await waiting;
      // The join and two watches.
      expect(two!.link.requests - before).toBe(3);
      await next.release();
      await hold.release().catch(() => undefined);
    });
  });

  test('a hold that came that way is watched already, and its release is one request', async () => {
    const fleet = new LineFleet({ latencyMs: 5 });
    await fleet.run(async () => {
      const [one, two] = opened(fleet, 2);
      const [hold, next] = await inLine(fleet, [one!, two!]);
      await (await hold!).release();
      const second = await next!;
      const before = two!.link.requests;
      await fleet.clock.sleep(5000);
      expect(two!.link.requests).toBe(before);
      await second.release();
      expect(two!.link.requests - before).toBe(1);
      expect(second.lost.aborted).toBe(false);
    });
  });

  test('a hold that came that way is lost at once when its ticket is deleted by hand', async () => {
    const fleet = new LineFleet({ latencyMs: 5 });
    await fleet.run(async () => {
      const [one, two] = opened(fleet, 2);
      const [hold, next] = await inLine(fleet, [one!, two!]);
      await (await hold!).release();
      const second = await next!;
      fleet.server.leave(LINE, fleet.line(LINE.kind, LINE.name)[0]!);
      await fleet.clock.sleep(6);
      expect(second.lost.reason).toMatchObject({ reason: 'gone' });
      await expect(second.release()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    });
  });
});

describe('the next owner of a line lists it again', () => {
  test('where the fence is the revision of a list', async () => {
    const fleet = new LineFleet({ latencyMs: 5, likeEtcd: true });
    await fleet.run(async () => {
      const [one, two] = opened(fleet, 2);
      const [hold, next] = await inLine(fleet, [one!, two!]);
      const before = two!.link.requests;
      await (await hold!).release();
      const second = await next!;
      expect(two!.link.requests - before).toBe(1);
      // The release came between the join and the list.
      expect(second.fence).toBe(BigInt(fleet.server.look(LINE)[0]!.fence + 1) * 64n);
      await second.release();
    });
  });

  test('when its own ticket was deleted by hand: the owner behind it is in', async () => {
    const fleet = new LineFleet({ latencyMs: 5 });
    await fleet.run(async () => {
      const members = opened(fleet, 3);
      const [, second, third] = await inLine(fleet, members);
      const [holder, next] = fleet.line(LINE.kind, LINE.name);
      // Both within the same millisecond: the second news is right behind the first one.
      fleet.server.leave(LINE, next!);
      fleet.server.leave(LINE, holder!);
      const hold = await third!;
      expect(first(fleet)).toBe(members[2]!.link.session);
      await fleet.clock.sleep(SETTLED_MS);
      // It has joined again.
      expect(fleet.line(LINE.kind, LINE.name)).toHaveLength(2);
      await hold.release();
      expect((await second!).fence).toBeGreaterThan(hold.fence);
      await (await second!).release();
    });
  });

  test('at once where the fence is the revision of a list, when its own ticket is deleted by hand', async () => {
    const fleet = new LineFleet({ latencyMs: 5, likeEtcd: true });
    await fleet.run(async () => {
      const members = opened(fleet, 3);
      const [hold, second, third] = await inLine(fleet, members);
      fleet.server.leave(LINE, fleet.line(LINE.kind, LINE.name)[1]!);
      await fleet.clock.sleep(SETTLED_MS);
      // Behind the third one, which has its place ahead now.
      const sessions = fleet.server.look(LINE).map(({ session }) => session);
      expect(sessions).toEqual([members[0]!, members[2]!, members[1]!].map(({ link }) => link.session));
      await (await hold!).release();
      await (await third!).release();
      await (await second!).release();
    });
  });

  test('when its own ticket was deleted by hand before it was watched', async () => {
    const fleet = new LineFleet({ latencyMs: 5 });
    await fleet.run(async () => {
      const [one, two] = opened(fleet, 2);
      const hold = await one!.locks.fairLock('a').acquire();
      await two!.locks.fairLock('b').run(() => undefined);
      const waiting = two!.locks.fairLock('a').acquire();
      await fleet.untilTickets(2, LINE.kind, LINE.name);
      fleet.server.leave(LINE, fleet.line(LINE.kind, LINE.name)[1]!);
      await fleet.clock.sleep(SETTLED_MS);
      expect(fleet.line(LINE.kind, LINE.name)).toHaveLength(2);
      await hold.release();
      const next = await waiting;
      expect(first(fleet)).toBe(two!.link.session);
      await next.release();
    });
  });

  test('once, when the ticket ahead goes while it does: it joins again once', async () => {
    const fleet = new LineFleet({ latencyMs: 5 });
    await fleet.run(async () => {
      const [one, two] = opened(fleet, 2);
      const hold = await one!.locks.fairLock('a').acquire();
      await two!.locks.fairLock('b').run(() => undefined);
      const waiting = two!.locks.fairLock('a').acquire();
      await fleet.untilTickets(2, LINE.kind, LINE.name);
      const [holder, next] = fleet.line(LINE.kind, LINE.name);
      fleet.server.leave(LINE, next!);
      // The watches are placed, and that the own ticket is gone is on its way back.
      await fleet.clock.sleep(13);
      fleet.server.leave(LINE, holder!);
      const entered = await waiting;
      await fleet.clock.sleep(SETTLED_MS);
      expect(fleet.line(LINE.kind, LINE.name)).toHaveLength(1);
      await entered.release();
      await hold.release().catch(() => undefined);
    });
  });

  test('when the connection broke meanwhile: what went is reported in any order', async () => {
    const fleet = new LineFleet({ latencyMs: 5 });
    await fleet.run(async () => {
      const members = opened(fleet, 3);
      const [, second, third] = await inLine(fleet, members);
      const [holder, next] = fleet.line(LINE.kind, LINE.name);
      let isIn = false;
      const entered = second!.then((hold) => {
        isIn = true;
        return hold;
      });
      members[1]!.link.breakConnection();
      fleet.server.leave(LINE, next!);
      fleet.server.leave(LINE, holder!);
      const hold = await third!;
      await fleet.clock.sleep(SETTLED_MS);
      expect([isIn, fleet.line(LINE.kind, LINE.name).length]).toEqual([false, 2]);
      await hold.release();
      await (await entered).release();
    });
  });

  test('when the process stood still past the deadline of its session: it starts again as a new owner', async () => {
    const fleet = new LineFleet({ latencyMs: 5 });
    await fleet.run(async () => {
      const [one, two] = opened(fleet, 2);
      const [hold, next] = await inLine(fleet, [one!, two!]);
      const [, before] = fleet.line(LINE.kind, LINE.name);
      const releasing = (await hold!).release().catch(() => undefined);
      await fleet.untilTickets(1, LINE.kind, LINE.name);
      // The news is on its way, and comes before the timers that are late.
      fleet.clock.stall(fleet.sessionMs);
      const second = await next!;
      expect(second.lost.aborted).toBe(false);
      expect(fleet.line(LINE.kind, LINE.name)).not.toContain(before);
      await releasing;
      await second.release();
    });
  });

  test('when the ticket ahead is of its own session, which ends: both go in one step', async () => {
    const fleet = new LineFleet({ latencyMs: 5 });
    await fleet.run(async () => {
      const [one, two] = opened(fleet, 2);
      const [hold, second, third] = await inLine(fleet, [one!, one!, two!]);
      // News one by one: the client hears of the ticket ahead, and has a while to believe that it is in.
      let isIn = false;
      const entered = second!.then((next) => {
        isIn = next.lost.aborted || first(fleet) !== one!.link.session;
        return next;
      });
      const session = one!.link.session!;
      fleet.server.end(session);
      const next = await third!;
      await fleet.clock.sleep(SETTLED_MS);
      await next.release();
      await (await entered).release();
      expect(isIn).toBe(false);
      await expect((await hold!).release()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    });
  });

  test('when a read has joined under the write ahead: a writer is behind both', async () => {
    const fleet = new LineFleet({ latencyMs: 5 });
    await fleet.run(async () => {
      const [one, two] = opened(fleet, 2);
      const owner = one!.locks.owner();
      const write = await one!.locks.readWriteLock('a').write.acquire({ owner });
      let isIn = false;
      const waiting = two!.locks
        .readWriteLock('a')
        .write.acquire()
        .then((hold) => {
          isIn = true;
          return hold;
        });
      await fleet.untilTickets(2, 'readWriteLock', 'a');
      await fleet.clock.sleep(SETTLED_MS);
      const read = await one!.locks.readWriteLock('a').read.acquire({ owner });
      await write.release();
      await fleet.clock.sleep(SETTLED_MS);
      expect(isIn).toBe(false);
      await read.release();
      await (await waiting).release();
    });
  });
});
