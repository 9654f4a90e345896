import { expect, test } from 'vitest';
import type { Leader } from '../../../src/index.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { MS } from './curator.ts';
import type { CuratorStage } from './stage.ts';

const LONG_MS = 20_000;

export function electionCells(stage: () => CuratorStage): void {
  test('Java leads, Node is a candidate: each sees the other, and Node follows', async () => {
    const path = stage().newPath();
    const named = { path, id: 'java-1' };
    const thread = stage().thread();
    const election = stage().locks.election(path);
    expect(await election.leader()).toBeNull();
    await thread.call('leaderLatch', named, 'start');
    expect(await thread.call('leaderLatch', named, 'await', LONG_MS, MS)).toBe(true);
    const [theirs] = await stage().nodesOf('java', path);
    const stat = await stage().raw.exists(theirs!);
    expect(await election.leader()).toMatchObject({ value: 'java-1', fence: stat!.czxid });
    const campaign = await stage().nodeWaits(path, () => election.campaign({ value: 'node-1' }));
    expect(await election.candidates()).toBe(1);
    await stage().catchUp();
    expect(await thread.call('leaderLatch', named, 'getParticipants')).toEqual(['java-1 leads', 'node-1']);
    expect(await thread.call('leaderLatch', named, 'getLastPathIsLeader')).toBe(theirs);
    await thread.call('leaderLatch', named, 'close');
    const leadership = await campaign.outcome;
    expect(leadership.fence > stat!.czxid).toBe(true);
    await leadership.resign();
    expect(await election.leader()).toBeNull();
  });

  test('Node leads, Java is a participant: it sees the leader, and follows, also when Node proclaims meanwhile', async () => {
    const path = stage().newPath();
    const named = { path, id: 'java-1' };
    const thread = stage().thread();
    const election = stage().locks.election(path);
    const leadership = await election.campaign({ value: 'node-1' });
    const started = await stage().javaWaits(path, () => thread.call('leaderLatch', named, 'start'));
    await started.outcome;
    expect(await thread.call('leaderLatch', named, 'hasLeadership')).toBe(false);
    expect(await thread.call('leaderLatch', named, 'getLeader')).toBe('node-1 leads');
    // Java goes on showing what the leader said first: Curator's followers do not survive a change of the node that they watch.
    await leadership.proclaim('node-2');
    await stage().catchUp();
    expect(await election.leader()).toMatchObject({ value: 'node-2' });
    expect(await thread.call('leaderLatch', named, 'getParticipants')).toEqual(['node-1 leads', 'java-1']);
    expect(await election.candidates()).toBe(1);
    await leadership.resign();
    expect(await thread.call('leaderLatch', named, 'await', LONG_MS, MS)).toBe(true);
    expect(await election.leader()).toMatchObject({ value: 'java-1' });
    await thread.call('leaderLatch', named, 'close');
  });

  test('an observer in Node is shown every leader of either side', async () => {
    const path = stage().newPath();
    const election = stage().locks.election(path);
    const first = await election.campaign({ value: 'node-1' });
    const observed = election.observe();
    const next = async (): Promise<Leader<string> | null> => (await observed.next()).value ?? null;
    expect(await next()).toMatchObject({ value: 'node-1' });
    const thread = stage().thread();
    const named = { path, id: 'java-1' };
    const started = await stage().javaWaits(path, () => thread.call('leaderLatch', named, 'start'));
    await started.outcome;
    await first.resign();
    expect(await next()).toMatchObject({ value: 'java-1' });
    await thread.call('leaderLatch', named, 'close');
    expect(await next()).toBeNull();
    await observed.return?.();
  });

  test('a LeaderSelector stands in the line of our lock, and leads when Node releases it', async () => {
    const path = stage().newPath();
    const named = { path, id: 'java-1' };
    const thread = stage().thread();
    const lock = stage().locks.lock(path);
    const hold = await lock.acquire();
    await thread.call('leaderSelector', named, 'autoRequeue');
    const started = await stage().javaWaits(path, () => thread.call('leaderSelector', named, 'start'));
    await started.outcome;
    expect(await thread.call('leaderSelector', named, 'hasLeadership')).toBe(false);
    // The data of our node is no id. A selector shows it as it is.
    expect(await thread.call('leaderSelector', named, 'getParticipants')).toEqual([
      expect.stringMatching(/^holdfast fences=\d+ leads$/),
      'java-1',
    ]);
    await hold.release();
    await waitFor('Java leads', () => thread.call('leaderSelector', named, 'hasLeadership'));
    expect(await thread.call('leaderSelector', named, 'getLeader')).toBe('java-1 leads');
    const waiting = await stage().nodeWaits(path, () => lock.acquire());
    await thread.call('leaderSelector', named, 'resign');
    const again = await waiting.outcome;
    expect(await thread.call('leaderSelector', named, 'terms')).toBe(1);
    await again.release();
    await waitFor('Java leads again', async () => {
      return (await thread.call('leaderSelector', named, 'terms')) === 2;
    });
    await thread.call('leaderSelector', named, 'close');
    await waitFor('it has left', async () => (await stage().ticketsBelow(path)).length === 0);
  });
}
