import { expect, test } from 'vitest';
import { Contact } from '../../../src/core/acquire/contact.ts';
import { StoreFullError } from '../../../src/core/failures/store-full-error.ts';
import { WaitQueues } from '../../../src/engines/redis/locks/wait-queues.ts';
import type { RequestEnd } from '../../../src/spi/verbs/holding.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

const LEASE_MS = 1000;

test('what a single attempt was owed in an outage is forgotten when it fails', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const lines = new WaitQueues(clock);
    expect(lines.claimTurn('x', 'once', false)).toBe(true);
    await expect(lines.awaitAnswer('x', Promise.reject(new Error('no answer')))).rejects.toThrow('no answer');
    await clock.sleep(60_000);
    expect(lines.claimTurn('x', 'head', true)).toBe(true);
    expect(lines.claimTurn('x', 'behind', true)).toBe(false);
    const owed = (): number | undefined => lines.behindFirst('x', LEASE_MS).behind?.owedSince();
    expect(owed()).toBe(undefined);
    const asking = lines.awaitAnswer('x', clock.sleep(10));
    expect(owed()).toBe(clock.now());
    await asking;
    expect(owed()).toBe(undefined);
  });
});

test('what the first of a line is owed counts on for those behind when it fails', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const lines = new WaitQueues(clock);
    lines.claimTurn('x', 'head', true);
    lines.claimTurn('x', 'behind', true);
    const since = clock.now();
    await expect(lines.awaitAnswer('x', Promise.reject(new Error('no answer')))).rejects.toThrow('no answer');
    await clock.sleep(100);
    expect(lines.behindFirst('x', LEASE_MS).behind?.owedSince()).toBe(since);
  });
});

test('a server that is out of memory has answered: it owes nothing to those behind the first of a line', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const lines = new WaitQueues(clock);
    lines.claimTurn('x', 'head', true);
    lines.claimTurn('x', 'behind', true);
    const full = new StoreFullError(
      'out of memory',
      { resource: 'semaphore "x"', engine: 'redis' },
      undefined,
    );
    for (let tries = 0; tries < 3; tries++) {
      await expect(lines.awaitAnswer('x', Promise.reject(full))).rejects.toBe(full);
      expect(lines.behindFirst('x', LEASE_MS).behind?.owedSince()).toBe(undefined);
      expect(lines.behindFirst('x', LEASE_MS).behind?.fullStore?.()).toBe(full);
      await clock.sleep(1000);
    }
    for (const owner of ['behind', 'head']) lines.leave('x', owner);
    // Those who come later have not been refused.
    expect(lines.behindFirst('x', LEASE_MS).behind?.fullStore?.()).toBe(undefined);
    lines.claimTurn('x', 'later', true);
    await expect(lines.awaitAnswer('x', Promise.reject(full))).rejects.toBe(full);
    await lines.awaitAnswer('x', clock.sleep(1));
    expect(lines.behindFirst('x', LEASE_MS).behind?.fullStore?.()).toBe(undefined);
  });
});

test('the followers of a waiter that was the last of its line are not told over and over that the line has ended', async () => {
  const clock = new VirtualClock();
  const lines = new WaitQueues(clock);
  lines.claimTurn('x', 'head', true);
  lines.claimTurn('x', 'behind', true);
  void lines.awaitAnswer('x', new Promise(() => undefined));
  const contact = new Contact(false);
  contact.standBehind(lines.behindFirst('x', LEASE_MS).behind!);
  const heard: RequestEnd[] = [];
  contact.follow((end) => heard.push(end));
  lines.leave('x', 'head');
  lines.leave('x', 'behind');
  // The next turn of the loop comes: a chain of microtasks without end would keep it away.
  await new Promise((resolve) => setImmediate(resolve));
  expect(heard).toEqual([]);
});
