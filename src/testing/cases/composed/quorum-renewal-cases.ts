import assert from 'node:assert/strict';
import { quorumLock } from '../../../index.ts';
import { assertRejects, assertRejectsArgument } from '../../harness/coded-error.ts';
import { assertAllFree, type ComposedKinds } from './composed-cases.ts';
import { lossOf } from '../losses/lease-cases.ts';
import type { Cases } from '../../suites/suite.ts';
import { LONGEST_LEASE_UNITS, openThree, members } from './quorum-members.ts';

/** How long a hold on a majority lasts. */
export const quorumRenewalCases: Cases<ComposedKinds> = {
  'it lasts while a majority does, and no longer': async (bench) => {
    const [mine, theirs] = [await members(bench), await members(bench)];
    const leaseMs = 3 * bench.unit;
    const hold = await quorumLock(mine).acquire();
    assert.equal(await theirs[0]!.forceRelease(), true);
    await bench.time.sleep(3 * leaseMs);
    hold.throwIfLost();
    assert.equal(await theirs[1]!.forceRelease(), true);
    const start = bench.time.now();
    await lossOf(hold);
    // The next renewal round reports it, not the end of the lease: by then another client could long have a majority.
    bench.assertWithin(start, leaseMs / 3);
    await assertRejects(() => hold.release(), 'LEASE_LOST');
    await assertAllFree({ locks: theirs });
  },

  'an extension that a majority answers with "gone" loses the hold at once': async (bench) => {
    const [mine, theirs] = [await members(bench), await members(bench)];
    const hold = await quorumLock(mine, { longestLeaseMs: LONGEST_LEASE_UNITS * bench.unit }).acquire({
      leaseMs: 5 * bench.unit,
    });
    await theirs[0]!.forceRelease();
    await hold.extend(6 * bench.unit);
    await theirs[2]!.forceRelease();
    await assertRejects(() => hold.extend(7 * bench.unit), 'LEASE_LOST');
    assert.equal(hold.lost.aborted, true);
    assert.equal(hold.remainingMs, 0);
    assert.throws(() => hold.throwIfLost());
    await assertRejects(() => hold.release(), 'LEASE_LOST');
  },

  'a loss of the majority that the release is the first to find is reported': async (bench) => {
    const [mine, theirs] = [await members(bench), await members(bench)];
    const hold = await quorumLock(mine, { longestLeaseMs: LONGEST_LEASE_UNITS * bench.unit }).acquire({
      leaseMs: 5 * bench.unit,
    });
    await theirs[0]!.forceRelease();
    await theirs[1]!.forceRelease();
    await assertRejects(() => hold.release(), 'LEASE_LOST');
    assert.equal(hold.lost.aborted, true);
    await assertAllFree({ locks: theirs });
  },

  'a lease that is longer than members must be old is refused': async (bench) => {
    const lock = quorumLock(await members(bench), { longestLeaseMs: 5 * bench.unit });
    const names = /longer than longestLeaseMs/;
    await assertRejectsArgument({ given: undefined, error: RangeError, names }, () =>
      lock.acquire({ leaseMs: 6 * bench.unit }),
    );
    const hold = await lock.acquire({ leaseMs: 5 * bench.unit });
    await assertRejectsArgument({ given: undefined, error: RangeError, names }, () =>
      hold.extend(6 * bench.unit),
    );
    await hold.release();
  },

  'closing the clients of a majority ends the hold, and its timers': async (bench) => {
    const clients = await openThree(bench);
    const hold = await quorumLock(clients.map((client, at) => client.lock(`${bench.name}-${at}`))).acquire();
    for (const client of clients) await client.close();
    assert.throws(() => hold.throwIfLost(), 'it must not pass for a good one');
    assert.equal(hold.remainingMs, 0);
    await hold.release().catch(() => undefined);
  },

  'a hold that is never given back ends with its clients': async (bench) => {
    const clients = await openThree(bench);
    await quorumLock(clients.map((client, at) => client.lock(`${bench.name}-${at}`))).acquire();
    for (const client of clients) await client.close();
    // When the case ends the bench checks what is left: no timer may be.
  },
};
