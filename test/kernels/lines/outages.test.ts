import { describe, expect, test } from 'vitest';
import { LineFleet } from '../../fixtures/lines/line-fleet.ts';

/** As a caller sees it: what a wait is rejected with, `null` for a try that was refused. */
async function endOf(wait: Promise<unknown>): Promise<unknown> {
  try {
    return await wait;
  } catch (error) {
    return (error as { readonly code?: string }).code;
  }
}

/** The usual session of a fleet. The link beats every 3 s, and gives the connection up when no answer came for 6 s. */
const SESSION_MS = 9000;
const SUSPENDED_MS = 6000;

describe('the store falls silent while a waiter watches the ticket ahead', () => {
  test.each(['lock', 'fairLock', 'semaphore'] as const)(
    'of a %s: an outage, not contention',
    async (kind) => {
      const fleet = new LineFleet({ latencyMs: 1 });
      await fleet.run(async () => {
        const [one, two] = [fleet.open(), fleet.open()];
        const permit = { permits: 1 };
        const hold = await one.locks[kind]('a', permit).acquire();
        const timeoutMs = SUSPENDED_MS + 2000;
        const waiting = endOf(two.locks[kind]('a', permit).acquire({ timeoutMs }));
        const behind = endOf(two.locks[kind]('a', permit).tryAcquire({ timeoutMs }));
        await fleet.untilTickets(kind === 'lock' ? 2 : 3, kind, 'a');
        await fleet.clock.sleep(100);
        const speak = two.link.silence();
        // Free for the rest of the time: the waiter neither hears of it nor can ask.
        await hold.release();
        expect([await waiting, await behind]).toEqual(['ENGINE', 'ENGINE']);
        speak();
      });
    },
  );

  test('and answers again before the end: contention', async () => {
    const fleet = new LineFleet({ latencyMs: 1 });
    await fleet.run(async () => {
      const [one, two] = [fleet.open(), fleet.open()];
      const hold = await one.locks.lock('a').acquire();
      const waiting = endOf(two.locks.lock('a').tryAcquire({ timeoutMs: SUSPENDED_MS + 2000 }));
      await fleet.untilTickets(2, 'lock', 'a');
      await fleet.clock.sleep(100);
      const speak = two.link.silence();
      await fleet.clock.sleep(SUSPENDED_MS + 1000);
      speak();
      expect(await waiting).toBeNull();
      await hold.release();
    });
  });

  test('a single attempt beside a waiter whose ticket is on its way hears of contention with its answer', async () => {
    const fleet = new LineFleet({ latencyMs: 10 });
    await fleet.run(async () => {
      const [one, two] = [fleet.open(), fleet.open()];
      const hold = await one.locks.lock('a').acquire();
      const waiting = two.locks.lock('a').acquire();
      const start = fleet.clock.now();
      expect(await endOf(two.locks.lock('a').tryAcquire())).toBeNull();
      expect(fleet.clock.now() - start).toBeLessThan(100);
      await hold.release();
      await (await waiting).release();
    });
  });

  test.each([
    {
      of: 'and its connection is resumed within the session: contention',
      silentMs: SUSPENDED_MS + 1000,
      end: null,
      // At once, by the connection. By itself the waiter looks again only a third of its lease, 10 s, after its last look.
      endsMs: SUSPENDED_MS + 1100,
    },
    { of: 'to the end of its session: an outage', silentMs: 60_000, end: 'ENGINE', endsMs: SESSION_MS },
  ])('a single attempt behind such a waiter, $of', async ({ silentMs, end, endsMs }) => {
    const fleet = new LineFleet({ latencyMs: 1, sessionMs: SESSION_MS });
    await fleet.run(async () => {
      const [one, two] = [fleet.open(), fleet.open()];
      const hold = await one.locks.lock('a').acquire();
      const waiting = endOf(two.locks.lock('a').acquire({ timeoutMs: 120_000 }));
      await fleet.untilTickets(2, 'lock', 'a');
      await fleet.clock.sleep(100);
      const speak = two.link.silence();
      await fleet.clock.sleep(SUSPENDED_MS + 500);
      // Neither the end of this attempt nor that of the hold lies with the waiter: its own time is far from over.
      const trying = endOf(two.locks.lock('a').tryAcquire());
      const spoken = fleet.clock.sleep(silentMs - SUSPENDED_MS - 500).then(speak);
      const hangs = fleet.clock.sleep(endsMs - SUSPENDED_MS - 500).then(() => 'hangs');
      expect(await Promise.race([trying, hangs])).toBe(end);
      await spoken;
      await hold.release();
      await waiting;
    });
  });

  test('a connection that is resumed at once is no outage, however often it breaks', async () => {
    const fleet = new LineFleet({ latencyMs: 1 });
    await fleet.run(async () => {
      const [one, two] = [fleet.open(), fleet.open()];
      const hold = await one.locks.lock('a').acquire();
      const waiting = endOf(two.locks.lock('a').tryAcquire({ timeoutMs: 1000 }));
      await fleet.untilTickets(2, 'lock', 'a');
      for (let count = 0; count < 99; count++) {
        await fleet.clock.sleep(10);
        two.link.breakConnection();
      }
      expect(await waiting).toBeNull();
      await hold.release();
    });
  });
});

describe('the store falls silent while a client watches a document', () => {
  test('of a monitor: an outage as soon as the waiter looks again', async () => {
    const fleet = new LineFleet({ latencyMs: 1 });
    await fleet.run(async () => {
      const [one, two] = [fleet.open({ renewalLeaseMs: 3000 }), fleet.open({ renewalLeaseMs: 3000 })];
      const initial = { initial: 0 };
      let leave = (): void => undefined;
      const left = new Promise<void>((resolve) => (leave = resolve));
      const inside = one.locks.monitor('a', initial).run(() => left);
      await fleet.clock.sleep(100);
      const waiting = endOf(two.locks.monitor('a', initial).run(() => undefined, { timeoutMs: 5000 }));
      await fleet.clock.sleep(100);
      const speak = two.link.silence();
      leave();
      await inside;
      expect(await waiting).toBe('ENGINE');
      speak();
    });
  });
});

test('a query whose client closes before the store answers rejects with the close, not with the connection', async () => {
  const fleet = new LineFleet({ latencyMs: 50 });
  await fleet.run(async () => {
    const { locks, link } = fleet.open();
    await locks.lock('a').run(() => undefined);
    link.silence();
    const queries = [locks.election('a').leader(), locks.lock('a').waiters()].map(endOf);
    await locks.close();
    expect(await Promise.all(queries)).toEqual(['CLOSED', 'CLOSED']);
    await fleet.clock.sleep(SESSION_MS);
  });
});
