import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../fixtures/virtual-clock.ts';
import { countedEngine } from './counted-engine.ts';

const LEASE_MS = 3000;

describe('keeper', () => {
  test('renews holds that were taken together in one batch, every third of the lease', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const locks = countedEngine(clock, { renewalLeaseMs: LEASE_MS });
      const names = ['a', 'b', 'c', 'd'];
      for (const name of names) await locks.lock(name).acquire();
      await locks.lock('leased').acquire({ leaseMs: 10 * LEASE_MS });
      await clock.sleep(LEASE_MS + 1);
      expect(locks.batches).toStrictEqual([names, names, names]);
      await locks.close();
    });
    expect(clock.pending).toBe(0);
  });

  test('takes along what is due soon, so that holds taken over a while end up in one batch', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const locks = countedEngine(clock, { renewalLeaseMs: LEASE_MS });
      for (let at = 0; at < 10; at++) {
        await locks.lock(`l${at}`).acquire();
        await clock.sleep(LEASE_MS / 300);
      }
      await clock.sleep(2 * LEASE_MS);
      expect(locks.batches.at(-1)?.length, 'all in one').toBe(10);
      expect(locks.batches.length <= 8, `${locks.batches.length} batches in two leases`).toBeTruthy();
      await locks.close();
    });
  });

  test('a hold that was given back is renewed no more', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const locks = countedEngine(clock, { renewalLeaseMs: LEASE_MS });
      const [one, two] = [await locks.lock('one').acquire(), await locks.lock('two').acquire()];
      await clock.sleep(LEASE_MS / 3 + 1);
      await one.release();
      await clock.sleep(LEASE_MS / 3);
      await two.release();
      await clock.sleep(3 * LEASE_MS);
      expect(locks.batches).toStrictEqual([['one', 'two'], ['two']]);
      await locks.close();
    });
  });

  // Reliability H6
  test('goes on when renewals fail, and loses nothing if one gets through in time', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const locks = countedEngine(clock, { renewalLeaseMs: LEASE_MS });
      const renewed: unknown[] = [];
      locks.on('renew', ({ error }) => void renewed.push(error));
      const hold = await locks.lock('a').acquire();
      locks.failing = new Error('no connection');
      await clock.sleep(LEASE_MS * 0.9);
      hold.throwIfLost();
      expect(renewed.length >= 3, `${renewed.length} attempts`).toBeTruthy();
      expect(renewed.every((error) => error === locks.failing)).toBeTruthy();
      locks.failing = undefined;
      await clock.sleep(3 * LEASE_MS);
      hold.throwIfLost();
      await hold.release();
      await locks.close();
    });
  });

  test('tells at the deadline when none got through, once, and stops', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const locks = countedEngine(clock, { renewalLeaseMs: LEASE_MS });
      let lost = 0;
      locks.on('lost', () => void lost++);
      const start = clock.now();
      const hold = await locks.lock('a').acquire();
      let lostAt = 0;
      hold.lost.addEventListener('abort', () => (lostAt = clock.now()));
      locks.failing = new Error('no connection');
      await clock.sleep(2 * LEASE_MS);
      expect(Math.round(lostAt - start)).toBe(LEASE_MS - (LEASE_MS * 0.01 + 20));
      const sent = locks.batches.length;
      await clock.sleep(2 * LEASE_MS);
      expect(locks.batches.length).toBe(sent);
      expect(lost).toBe(1);
      await locks.close();
    });
    expect(clock.pending).toBe(0);
  });

  test('ends with maxHoldMs, also for a hold that is extended', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const locks = countedEngine(clock, { renewalLeaseMs: LEASE_MS, maxHoldMs: 2 * LEASE_MS });
      const hold = await locks.lock('a').acquire();
      await clock.sleep(2.5 * LEASE_MS);
      hold.throwIfLost();
      const sent = locks.batches.length;
      await hold.extend(LEASE_MS);
      await clock.sleep(2 * LEASE_MS);
      expect(hold.lost.aborted).toBe(true);
      expect(locks.batches.length <= sent + 2, 'an extension is not a new beginning').toBeTruthy();
      await locks.close();
    });
  });
});
