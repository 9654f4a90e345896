import { quorumLock } from 'holdfast';
import { expect, test } from 'vitest';
import { LineFleet } from '../../fixtures/lines/line-fleet.ts';

const LATENCY_MS = 5;

// What the published suite asks of an extension, and lines do not do: an extension asks nothing once the tickets are watched. The notices
// of the store take the place of its answers.
test('a quorum whose majority is taken away is lost by the notices of the store, and cannot be extended any more', async () => {
  const fleet = new LineFleet({ latencyMs: LATENCY_MS });
  await fleet.run(async () => {
    const members = ['one', 'two', 'three'].map((label) => fleet.open({ label }));
    const other = fleet.open();
    const nameOf = (at: number): string => `member-${at}`;
    const lock = quorumLock(
      members.map(({ locks }, at) => locks.lock(nameOf(at))),
      { longestLeaseMs: 60_000 },
    );
    const hold = await lock.acquire({ leaseMs: 20_000 });
    await hold.extend(25_000);
    const asked = members.map(({ link }) => link.requests);
    await other.locks.lock(nameOf(0)).forceRelease();
    await hold.extend(30_000);
    expect(hold.lost.aborted).toBe(false);
    await other.locks.lock(nameOf(2)).forceRelease();
    await fleet.clock.sleep(LATENCY_MS);
    expect(hold.lost.aborted).toBe(true);
    expect(hold.remainingMs).toBe(0);
    await expect(hold.extend(40_000)).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(members.map(({ link }) => link.requests)).toEqual(asked);
    await expect(hold.release()).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });
});
