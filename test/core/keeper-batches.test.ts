import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
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
      assert.deepEqual(locks.batches, [names, names, names]);
      await locks.close();
    });
    assert.equal(clock.pending, 0);
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
      assert.equal(locks.batches.at(-1)?.length, 10, 'all in one');
      assert.ok(locks.batches.length <= 8, `${locks.batches.length} batches in two leases`);
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
      assert.deepEqual(locks.batches, [['one', 'two'], ['two']]);
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
      assert.ok(renewed.length >= 3, `${renewed.length} attempts`);
      assert.ok(renewed.every((error) => error === locks.failing));
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
      assert.equal(Math.round(lostAt - start), LEASE_MS - (LEASE_MS * 0.01 + 20));
      const sent = locks.batches.length;
      await clock.sleep(2 * LEASE_MS);
      assert.equal(locks.batches.length, sent);
      assert.equal(lost, 1);
      await locks.close();
    });
    assert.equal(clock.pending, 0);
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
      assert.equal(hold.lost.aborted, true);
      assert.ok(locks.batches.length <= sent + 2, 'an extension is not a new beginning');
      await locks.close();
    });
  });
});
