import { describe, expect, test } from 'vitest';
import { Client } from '../../src/core/client.ts';
import { Grant } from '../../src/core/grants/grant.ts';
import { Session } from '../../src/core/session.ts';
import { UncaughtErrors } from '../fixtures/uncaught-errors.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';
import { fakeLock } from './fake-lock.ts';

const TTL_MS = 3000;
const MARGIN_MS = TTL_MS * 0.01 + 20;

type Beat = 'alive' | 'ended' | 'no answer' | 'error';

/** A client with a session that is beaten as told, and a hold whose own lease is much longer. */
function clientWith(clock: VirtualClock, beats: Beat[]) {
  let ids = 0;
  const random = { id: () => String(++ids).padStart(32, '0'), fraction: () => 0.5 };
  const client = new Client({ label: 'test', clock, random, renewalLeaseMs: 1e9, maxHoldMs: Infinity });
  const beaten: { readonly at: number; readonly client: string }[] = [];
  const session = new Session(
    client,
    {
      beat: async (id) => {
        beaten.push({ at: clock.now(), client: id });
        const beat = beats.shift() ?? 'alive';
        if (beat === 'no answer') return new Promise<never>(() => undefined);
        if (beat === 'error') throw new Error('unreachable');
        return beat;
      },
      end: async () => undefined,
    },
    TTL_MS,
  );
  const holdable = fakeLock(client);
  const hold = (): Grant => {
    const answer = { kind: 'granted', fence: 1, fences: 1, remainingMs: 1e9 } as const;
    const grant = new Grant(holdable, client.ids.next(), answer, clock.now(), 1e9, false);
    client.keeper.keep(grant);
    return grant;
  };
  return { client, session, beaten, hold };
}

describe('a session', () => {
  test('is opened before anything else, and beaten every third of its time', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const { client, session, beaten } = clientWith(clock, []);
      await session.open();
      expect(beaten.length).toBe(1);
      const start = clock.now();
      await clock.sleep(10 * TTL_MS);
      expect(beaten.slice(1, 4).map(({ at }) => Math.round(at - start))).toStrictEqual([
        TTL_MS / 3,
        (2 * TTL_MS) / 3,
        TTL_MS,
      ]);
      expect(session.open(), 'an open one needs no question').toBe(undefined);
      await client.close();
      await session.end();
    });
  });

  test('that cannot be beaten ends all holds before the store does, however long their leases (soundness 18)', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const { client, session, hold } = clientWith(clock, [
        'alive',
        ...Array.from({ length: 99 }, () => 'no answer' as const),
      ]);
      const start = clock.now();
      await session.open();
      const before = client.ids.client;
      const grant = hold();
      let lostAt = 0;
      grant.lossListener = { lose: () => (lostAt = clock.now()) };
      await clock.sleep(2 * TTL_MS);
      expect(grant.loss?.reason).toBe('session-ended');
      expect(Math.abs(lostAt - start - (TTL_MS - MARGIN_MS)), `lost after ${lostAt - start} ms`).toBeLessThan(
        1,
      );
      expect(client.ids.client, 'never revived: what comes next is another identity').not.toBe(before);
      await client.close();
      await session.end();
    });
  });

  test('that is over is noticed at a touch, before any timer has run (soundness 6, 18)', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const { client, session, hold } = clientWith(clock, []);
      await session.open();
      const grant = hold();
      clock.stall(TTL_MS);
      expect(grant.remainingMs()).toBe(0);
      expect(grant.loss?.reason).toBe('session-ended');
      await client.close();
      await session.end();
    });
  });

  test('that the store has ended is not revived', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const { client, session, beaten, hold } = clientWith(clock, ['alive', 'ended']);
      await session.open();
      const grant = hold();
      await clock.sleep(TTL_MS / 3 + 1);
      expect(grant.loss?.reason).toBe('session-ended');
      await session.open();
      expect(new Set(beaten.map((beat) => beat.client)).size).toBe(2);
      await client.close();
      await session.end();
    });
  });

  test('survives beats that fail, as long as one comes through in time', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const { client, session, hold } = clientWith(clock, ['alive', 'error', 'no answer', 'error', 'alive']);
      await session.open();
      const grant = hold();
      await clock.sleep(3 * TTL_MS);
      expect(grant.loss).toBe(undefined);
      await grant.release();
      await client.close();
      await session.end();
    });
  });

  test('that cannot be opened rejects for every caller that needs it', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const { client, session } = clientWith(clock, ['error']);
      await expect(async () => session.open()).rejects.toThrow(/unreachable/);
      await session.open();
      await client.close();
      await session.end();
    });
  });

  test('that cannot be opened rejects nothing that has no handler, also if its caller gave up before it listened', async () => {
    const clock = new VirtualClock();
    using unhandled = new UncaughtErrors();
    await clock.run(async () => {
      const { client, session } = clientWith(clock, ['error']);
      void session.open();
      expect(await unhandled.soFar()).toStrictEqual([]);
      await client.close();
      await session.end();
    });
  });
});
