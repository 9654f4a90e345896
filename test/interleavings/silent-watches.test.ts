import { describe, expect, test } from 'vitest';
import { connected, timed } from './cable.ts';
import { ending, play } from './stage.ts';

describe('the store falls silent before it answers a watch', () => {
  test.each([400, 1500, 1900, 5000])(
    'after it has refused the first attempt: an outage, in %i ms',
    (timeoutMs) =>
      play(async (stage) => {
        const { client, cable } = await connected(stage);
        const held = await stage.far('other').lock('a').acquire();
        cable.cutAfter = 'acquire';
        const waiting = timed(stage, () => client.lock('a').acquire({ timeoutMs }));
        await stage.clock.sleep(20);
        // Free for the rest of the time. The waiter neither hears of it nor asks again.
        await held.release();
        const behind = timed(stage, () => client.lock('a').tryAcquire({ timeoutMs: 300 }));
        expect([await behind, (await waiting)[0]]).toEqual([['ENGINE', 300], 'ENGINE']);
        cable.heal();
      }),
  );

  test.each([400, 1500, 1900])('of a waiter that yields to others: an outage, in %i ms', (timeoutMs) =>
    play(async (stage) => {
      const { client, cable } = await connected(stage);
      const hold = await client.lock('a').acquire();
      const other = stage.far('other').lock('a').acquire();
      await stage.clock.sleep(60);
      const waiting = timed(stage, () => client.lock('a').acquire({ timeoutMs }));
      await stage.clock.sleep(60);
      // The answer to the release, that another client waits, is the last one.
      cable.cutAfter = 'release';
      await hold.release();
      await (await other).release();
      expect((await waiting)[0]).toBe('ENGINE');
      cable.heal();
    }),
  );

  test('and a waiter has a time that is too short to tell: contention', () =>
    play(async (stage) => {
      const { client, cable } = await connected(stage);
      const held = await stage.far('other').lock('a').acquire();
      cable.cutAfter = 'acquire';
      expect(await timed(stage, () => client.lock('a').tryAcquire({ timeoutMs: 90 }))).toEqual([null, 90]);
      cable.heal();
      await held.release();
    }));

  test('a watch that is answered owes nothing, however long the waiter sleeps then', () =>
    play(async (stage) => {
      const { client, cable } = await connected(stage);
      const held = await stage.far('other').lock('a').acquire();
      const waiting = ending(client.lock('a').tryAcquire({ timeoutMs: 2000 }));
      await stage.clock.sleep(100);
      cable.isCut = true;
      expect(await waiting).toBe(null);
      cable.heal();
      await held.release();
    }));

  // Too soon for an attempt beside the watch: nothing else was asked.
  test('which is the first that was asked: an outage, however short the time is', () =>
    play(async (stage) => {
      const { client, cable } = await connected(stage);
      cable.isCut = true;
      const arriving = () => client.barrier('a', { parties: 2 }).arrive({ timeoutMs: 60 });
      expect(await timed(stage, arriving)).toEqual(['ENGINE', 60]);
      cable.heal();
    }));
});
