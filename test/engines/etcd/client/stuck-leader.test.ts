import { expect, test } from 'vitest';
import { systemClock } from '../../../../src/core/time/clock.ts';
import { FakeMember } from '../../../fixtures/etcd/fake-member.ts';
import { waitFor } from '../../../fixtures/wait-for.ts';
import { openEtcdClient } from './open-client.ts';

test('a keep-alive that a leader answers whose reads hang proves nothing, and the member is left', async () => {
  using member = await FakeMember.start();
  member.answers.range = () => undefined;
  await using one = openEtcdClient(member.address);
  await one.client.ready();
  const grantedAt = one.statuses[0];
  await waitFor('the member is left', () => one.statuses.some(({ state }) => state === 'suspended'));
  expect(member.heard('leaseKeepAlive')).toBeGreaterThan(0);
  expect(one.statuses.filter(({ state }) => state === 'connected')).toEqual([grantedAt]);
});

test('a keep-alive of an earlier term than that of the read beside it proves nothing, and one of the same does', async () => {
  using member = await FakeMember.start();
  member.term = { ofKeepAlives: 4n, ofReads: 5n };
  await using one = openEtcdClient(member.address, { leaseSeconds: 2 });
  await one.client.ready();
  await waitFor('some keep-alives', () => member.heard('leaseKeepAlive') >= 3);
  expect(one.statuses.length).toBe(1);
  member.term = { ofKeepAlives: 5n, ofReads: 5n };
  await waitFor('the lease is proven', () => one.statuses.length > 1);
  expect(one.statuses.every(({ state }) => state === 'connected')).toBe(true);
});

test('a lease lasts from the moment in which its keep-alive was sent, however late the answer comes', async () => {
  using member = await FakeMember.start();
  let lateMs = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + lateMs };
  let heardAt: number | undefined;
  member.answers.leaseKeepAlive = () => {
    if (heardAt === undefined) {
      heardAt = clock.now();
      lateMs = 300;
    }
    return { ID: 7n, TTL: 2n, header: { revision: 1n, raftTerm: 1n } };
  };
  await using one = openEtcdClient(member.address, { clock });
  await one.client.ready();
  await waitFor('the lease is proven', () => one.statuses.length > 1);
  const [, proven] = one.statuses;
  expect.assert(proven?.state === 'connected');
  expect(proven.provenAt).toBeLessThanOrEqual(heardAt!);
});
