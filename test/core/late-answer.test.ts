import { expect, test } from 'vitest';
import { Client } from '../../src/core/client.ts';
import { acquireGrant } from '../../src/core/acquire/acquire-grant.ts';
import type { Granted } from '../../src/spi/verbs/holding.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';
import { fakeLock } from './fake-lock.ts';

const LEASE_MS = 1000;

/** A store whose first answer takes so long, and that remembers who gave back what. */
function slowStore(clock: VirtualClock, delays: number[]) {
  const random = { id: () => 'c'.repeat(32), fraction: () => 0.5 };
  const client = new Client({ label: 'slow', clock, random, renewalLeaseMs: LEASE_MS, maxHoldMs: Infinity });
  const asked: string[] = [];
  const released: string[] = [];
  const holdable = fakeLock(client, {
    acquire: async (_name, { owner }): Promise<Granted> => {
      asked.push(owner);
      const fence = asked.length;
      await clock.sleep(delays.shift() ?? 0);
      return { kind: 'granted', fence, fences: 1, remainingMs: LEASE_MS };
    },
    release: (_name, { owner }) => {
      released.push(owner);
      return { kind: 'released', others: 0 };
    },
  });
  return { client, holdable, asked, released };
}

const TERMS = {
  until: Infinity,
  timeoutMs: Infinity,
  signal: undefined,
  leaseMs: LEASE_MS,
  renewed: true,
  once: false,
};

test('an answer that comes when the lease could have ended is no grant: it is released, and asked for as a new owner (soundness 2)', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    // The second answer is late as well, out of the wait loop; the third comes in time.
    const { client, holdable, asked, released } = slowStore(clock, [LEASE_MS, LEASE_MS + 1, 10]);
    const grant = await acquireGrant(holdable, TERMS, 1);
    expect(grant?.owner).toBe(asked[2]);
    expect(new Set(asked).size, 'an id that was given back is never used again (soundness 1)').toBe(3);
    expect(released).toStrictEqual(asked.slice(0, 2));
    expect((grant?.remainingMs() ?? 0) > 0).toBeTruthy();
    await client.close();
  });
});

test('an answer counts from before the question was sent', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { client, holdable } = slowStore(clock, [400]);
    const grant = await acquireGrant(holdable, TERMS, 1);
    // What the store still has, less the way back and the margin of 1 % + 20 ms.
    expect(Math.round(grant?.remainingMs() ?? 0)).toBe(LEASE_MS - 400 - 30);
    await client.close();
  });
});

test('a single attempt whose answer is late has not got it', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { client, holdable, released } = slowStore(clock, [LEASE_MS]);
    expect(await acquireGrant(holdable, { ...TERMS, once: true }, 1)).toBe(null);
    expect(released.length).toBe(1);
    await client.close();
  });
});
