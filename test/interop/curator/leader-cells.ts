import { expect, test } from 'vitest';
import { waitFor } from '../../fixtures/wait-for.ts';
import type { Curator } from './curator.ts';
import { KINDS } from './kinds.ts';
import { javaSide, nodeSide } from './sides.ts';
import type { CuratorStage } from './stage.ts';
import { atNewPaths, javaWaitsForEach, nodeWaitsForEach } from './waits-for-each.ts';

/** Longer than an election of the servers on a busy machine: what is lost here was not lost by time. */
const SESSION_MS = 40_000;
/** Of a request of Curator, every 100 ms. */
const RETRIES = 300;
const DEADLINE_MS = 60_000;
const TIMEOUT_MS = 120_000;

/** The leader of the ensemble is killed while one side holds one of everything, and the other side waits for each of them. */
export function leaderCells(stage: () => CuratorStage): void {
  const newPaths = () => atNewPaths(stage(), KINDS);
  const ticketsOf = async (paths: readonly { readonly path: string }[]): Promise<readonly string[]> =>
    (await Promise.all(paths.map(({ path }) => stage().ticketsBelow(path)))).flat();
  const startPatient = (): Promise<Curator> => stage().startJava({ sessionMs: SESSION_MS, retries: RETRIES });

  /** Runs the rest of a case without the leader, once both sides go on in their sessions at another server. */
  async function withoutLeader(java: Curator, rest: () => Promise<void>): Promise<void> {
    const leader = await stage().ensemble.leader();
    await leader.kill();
    try {
      const thread = java.thread();
      const states = async (): Promise<readonly string[]> => (await thread.task('states')) as string[];
      await waitFor('Curator goes on', async () => (await states()).at(-1) === 'RECONNECTED', DEADLINE_MS);
      expect(await states()).not.toContain('LOST');
      const { locks, raw } = stage();
      await waitFor(
        'Holdfast goes on',
        async () => [await locks.lock('/any').waiters(), await raw.exists('/')],
        DEADLINE_MS,
      );
      await rest();
    } finally {
      await leader.restart();
      await stage().catchUp();
    }
  }

  test(
    'Java holds, Node waits: all keep their position, and Node is in when Java releases',
    async () => {
      await using java = await startPatient();
      const held = newPaths();
      const sides = held.map(({ first, path }) => javaSide(java.thread(), first, path));
      for (const side of sides) await side.acquire();
      const waiting = await nodeWaitsForEach(stage(), held);
      let entered = 0;
      for (const { outcome } of waiting) void outcome.finally(() => (entered += 1)).catch(() => undefined);
      const before = await ticketsOf(held);
      await withoutLeader(java, async () => {
        expect(await ticketsOf(held)).toEqual(before);
        expect(entered).toBe(0);
        for (const side of sides) await side.release();
        for (const { outcome } of waiting) await (await outcome).release();
        expect(await ticketsOf(held)).toEqual([]);
      });
    },
    TIMEOUT_MS,
  );

  test(
    'Node holds, Java waits: all keep their position, and Java is in when Node releases',
    async () => {
      await using java = await startPatient();
      const held = newPaths();
      const holds = await Promise.all(
        held.map(({ first, path }) => nodeSide(stage().locks, first, path).acquire()),
      );
      const { sides, waiting } = await javaWaitsForEach(
        stage(),
        () => java.thread(),
        held,
        (side) => side.acquire(),
      );
      let entered = 0;
      for (const { outcome } of waiting) void outcome.finally(() => (entered += 1)).catch(() => undefined);
      const before = await ticketsOf(held);
      await withoutLeader(java, async () => {
        expect(await ticketsOf(held)).toEqual(before);
        expect(entered).toBe(0);
        for (const hold of holds) hold.throwIfLost();
        await Promise.all(holds.map((hold) => hold.release()));
        await Promise.all(waiting.map(({ outcome }) => outcome));
        for (const side of sides) await side.release();
        expect(await ticketsOf(held)).toEqual([]);
      });
    },
    TIMEOUT_MS,
  );

  test(
    'a LeaderLatch leads, Node is a candidate: Java leads again once it is connected, and Node when Java closes',
    async () => {
      await using java = await startPatient();
      const path = stage().newPath();
      const named = { path, id: 'java-1' };
      const thread = java.thread();
      await thread.call('leaderLatch', named, 'start');
      await waitFor('Java leads', () => thread.call('leaderLatch', named, 'hasLeadership'));
      const election = stage().locks.election(path);
      const campaign = await stage().nodeWaits(path, () => election.campaign({ value: 'node-1' }));
      let isLeading = false;
      void campaign.outcome.finally(() => (isLeading = true)).catch(() => undefined);
      await withoutLeader(java, async () => {
        // A suspended LeaderLatch resigns, whatever becomes of its session. Its node stands, so that no other candidate leads meanwhile.
        await waitFor(
          'Java leads again',
          () => thread.call('leaderLatch', named, 'hasLeadership'),
          DEADLINE_MS,
        );
        expect(await election.leader()).toMatchObject({ value: 'java-1' });
        expect(await election.candidates()).toBe(1);
        expect(isLeading).toBe(false);
        await thread.call('leaderLatch', named, 'close');
        await (await campaign.outcome).resign();
      });
    },
    TIMEOUT_MS,
  );

  test(
    'Node leads, a LeaderLatch is a candidate: Node goes on leading, and Java leads when it resigns',
    async () => {
      await using java = await startPatient();
      const path = stage().newPath();
      const named = { path, id: 'java-1' };
      const thread = java.thread();
      const election = stage().locks.election(path);
      const leadership = await election.campaign({ value: 'node-1' });
      await stage().javaWaits(path, () => thread.call('leaderLatch', named, 'start'));
      await withoutLeader(java, async () => {
        leadership.throwIfLost();
        expect(await election.leader()).toMatchObject({ value: 'node-1', fence: leadership.fence });
        expect(await thread.call('leaderLatch', named, 'hasLeadership')).toBe(false);
        await leadership.resign();
        await waitFor('Java leads', () => thread.call('leaderLatch', named, 'hasLeadership'), DEADLINE_MS);
        await thread.call('leaderLatch', named, 'close');
      });
    },
    TIMEOUT_MS,
  );
}
