import { expect, test } from 'vitest';
import { Client } from '../../src/core/client.ts';
import { Grant } from '../../src/core/grants/grant.ts';
import type { RenewalOutcome } from '../../src/spi/engine/protocol.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';
import { fakeLock } from './fake-lock.ts';

const LEASE_MS = 3000;
const MARGIN_MS = LEASE_MS * 0.01 + 20;

/** Stands still past a deadline after so many more readings, as a process that is stopped there. */
class StoppingClock extends VirtualClock {
  readingsLeft = Infinity;

  override now(): number {
    const now = super.now();
    this.readingsLeft -= 1;
    if (this.readingsLeft === 0) this.stall(LEASE_MS);
    return now;
  }
}

/** A hold whose renewals are answered as told. */
function heldWith(clock: VirtualClock, renew: () => Promise<RenewalOutcome>) {
  const random = { id: () => 'c'.repeat(32), fraction: () => 0.5 };
  const client = new Client({ label: 'test', clock, random, renewalLeaseMs: LEASE_MS, maxHoldMs: Infinity });
  const released: number[] = [];
  const holdable = fakeLock(client, {
    renewMany: async (renewals) => Promise.all(renewals.map(() => renew())),
    release: () => {
      released.push(clock.now());
      return { kind: 'released', others: 0 };
    },
  });
  const answer = { kind: 'granted', fence: 1, fences: 1, remainingMs: LEASE_MS } as const;
  const grant = new Grant(holdable, client.ids.next(), answer, clock.now(), LEASE_MS, true);
  client.keeper.keep(grant);
  return { client, grant, released };
}

test('a renewal that succeeds after the loss is answered by a release: lost is final (soundness 6)', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { client, grant, released } = heldWith(clock, async () => {
      await clock.sleep(LEASE_MS);
      return { kind: 'renewed', remainingMs: LEASE_MS };
    });
    const start = clock.now();
    await clock.sleep(2 * LEASE_MS);
    expect(grant.loss?.reason).toBe('expired');
    expect(released.length >= 1).toBeTruthy();
    const last = Math.round((released.at(-1) ?? 0) - start);
    expect(
      last >= LEASE_MS / 3 + LEASE_MS,
      `given back after ${last} ms, when the late answer came`,
    ).toBeTruthy();
    await client.close();
  });
});

test('a loss with a renewal under way is given back, but only when the margin is over: it is the holder’s time to stop', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { client, grant, released } = heldWith(clock, () => new Promise<never>(() => undefined));
    const start = clock.now();
    let lostAt = 0;
    grant.lossListener = { lose: () => (lostAt = clock.now()) };
    await clock.sleep(2 * LEASE_MS);
    expect(Math.round(lostAt - start)).toBe(LEASE_MS - MARGIN_MS);
    expect(released.map((at) => Math.round(at - start))).toStrictEqual([LEASE_MS]);
    // The renewal is still under way, and closing does not wait for what may never come.
    await client.close();
  });
});

test('renewals that fail are tried again while the hold is good, and never stop the keeper', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    let failures = 5;
    const { client, grant } = heldWith(clock, async () => {
      if (failures-- > 0) throw new Error('unreachable');
      return { kind: 'renewed', remainingMs: LEASE_MS };
    });
    await clock.sleep(10 * LEASE_MS);
    expect(grant.loss).toBe(undefined);
    await client.close();
  });
});

test('"gone" while the release is under way is no loss', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { client, grant } = heldWith(clock, async () => {
      await clock.sleep(10);
      return { kind: 'gone' };
    });
    await clock.sleep(LEASE_MS / 3 + 1);
    await grant.release();
    await clock.sleep(100);
    expect(grant.loss).toBe(undefined);
    await client.close();
  });
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'a process that is stopped after reading %i of the clock in its renewals does not renew what is over (soundness 6)',
  async (reading) => {
    const clock = new StoppingClock();
    await clock.run(async () => {
      // As the lock of a transaction does, without a word from the server.
      const { client, grant } = heldWith(clock, async () => ({ kind: 'renewed', remainingMs: LEASE_MS }));
      clock.readingsLeft = reading;
      await clock.sleep(10 * LEASE_MS);
      expect(clock.readingsLeft).toBeLessThanOrEqual(0);
      expect(grant.loss?.reason).toBe('expired');
      await client.close();
    });
  },
);
