import { expect, test } from 'vitest';
import { FakeMember } from '../../../fixtures/etcd/fake-member.ts';
import { waitFor } from '../../../fixtures/wait-for.ts';
import { openEtcdClient } from './open-client.ts';

/** A group, which the format has given up. */
const NO_MESSAGE = Buffer.from('0b', 'hex');

test('a stream that brings what is no message is left with its connection, and the next one goes on', async () => {
  using member = await FakeMember.start();
  member.answers.leaseKeepAlive = () => NO_MESSAGE;
  await using one = openEtcdClient(member.address, { leaseSeconds: 2 });
  await one.client.ready();
  const left = await waitFor('the connection is left', () =>
    one.statuses.find((status) => status.state === 'suspended'),
  );
  expect(left.cause).toMatchObject({ code: 'CONNECTION_LOST', message: 'the answer cannot be read' });
  delete member.answers.leaseKeepAlive;
  await waitFor('the lease goes on', () => one.statuses.at(-1)?.state === 'connected');
});

test('a watch that brings what is no message goes on too', async () => {
  using member = await FakeMember.start();
  await using one = openEtcdClient(member.address, { leaseSeconds: 2 });
  await one.client.ready();
  member.answers.watch = () => NO_MESSAGE;
  const watch = one.client.watch({
    key: Buffer.from('key'),
    onEvents: () => undefined,
    onGap: () => undefined,
  });
  await waitFor('the watch is asked for again', () => member.heard('watch') > 1);
  member.answers.watch = () => ({ created: true, watchId: 0n, header: { revision: 5n } });
  expect(await watch.ready).toBe(5n);
});
