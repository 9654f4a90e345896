import { afterEach, describe, expect, test } from 'vitest';
import { waitFor } from '../../fixtures/wait-for.ts';
import type { OpenedLocks } from './databases.ts';
import type { Ground } from './ground.ts';
import { setMovedClock } from './moved-clock.ts';

const HOUR_MS = 60 * 60 * 1000;
const DEADLINE_MS = 60_000;

export function clockCases(ground: () => Ground): void {
  describe('the clock of the database', () => {
    const setClock = (byMs: number): Promise<void> => setMovedClock(ground(), byMs);
    afterEach(() => setClock(0));

    /** Each in tables of its own: what was written by a clock that is an hour ahead would concern the next one. */
    const open = (tablePrefix: string): OpenedLocks => {
      const { database, server } = ground();
      return database.open(server.url, { tablePrefix, renewalLeaseMs: 1500, now: database.movedClock });
    };

    test(
      'set back by an hour: no other owner acquires while one holds, and no waiter waits for an hour',
      async () => {
        await using one = open('back_');
        await using other = open('back_');
        const renewed = await one.lock('renewed').acquire();
        const leased = await one.lock('leased').acquire({ leaseMs: 3000 });
        await setClock(-HOUR_MS);
        expect(await other.lock('renewed').tryAcquire()).toBe(null);
        expect(await other.lock('leased').tryAcquire()).toBe(null);
        const next = await other.lock('leased').acquire();
        expect(leased.lost.aborted, 'its own holder had lost it by then').toBeTruthy();
        expect(next.fence > leased.fence).toBeTruthy();
        renewed.throwIfLost();
        expect(await other.lock('renewed').tryAcquire()).toBe(null);
        const soon = other.lock('renewed').acquire();
        await renewed.release();
        expect((await soon).fence > renewed.fence, 'fences do not go back with the clock').toBeTruthy();
      },
      DEADLINE_MS,
    );

    test(
      'set forward by an hour: another owner acquires, the old fence is lower, and its hold.lost fires',
      async () => {
        await using one = open('forward_');
        await using other = open('forward_');
        const hold = await one.lock('a').acquire();
        await setClock(HOUR_MS);
        const next = await other.lock('a').acquire();
        expect(next.fence > hold.fence).toBeTruthy();
        await waitFor('the first holder is notified', () => hold.lost.aborted);
        next.throwIfLost();
        await next.release();
      },
      DEADLINE_MS,
    );
  });
}
