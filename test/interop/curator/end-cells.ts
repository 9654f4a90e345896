import { expect, test } from 'vitest';
import { waitFor } from '../../fixtures/wait-for.ts';
import { startNode } from '../node-program.ts';
import { SESSION_BOUND } from './kinds.ts';
import { javaSide } from './sides.ts';
import { BRIEF_MS, type CuratorStage } from './stage.ts';
import { atNewPaths, javaWaitsForEach, nodeWaitsForEach } from './waits-for-each.ts';

const DEADLINE_MS = 25_000;
/** A client says that it lives at least every third of its session, so this much of it is left when it dies. */
const LEFT_MS = BRIEF_MS / 3;

/** A process that dies or stands still while it holds one of everything, with a waiter of the other side for each. */
export function endCells(stage: () => CuratorStage): void {
  const paths = () => atNewPaths(stage(), SESSION_BOUND);

  test('a JVM that is killed: Node acquires when its session is over, and not before', async () => {
    await using java = await stage().startJava();
    const held = paths();
    for (const { first, path } of held) await javaSide(java.thread(), first, path).acquire();
    const waiting = await nodeWaitsForEach(stage(), held, { timeoutMs: DEADLINE_MS });
    await java.kill();
    const killedAt = performance.now();
    const first = await Promise.race(waiting.map(({ outcome }) => outcome));
    expect(performance.now() - killedAt).toBeGreaterThan(LEFT_MS);
    first.throwIfLost();
    for (const { outcome } of waiting) await (await outcome).release();
  });

  test('a Node process that is killed: Java acquires when its session is over, and not before', async () => {
    const held = paths();
    await using holder = startHolder(held.map(({ first, path }) => ({ side: first, path })));
    await holder.fact('holds', DEADLINE_MS);
    const { sides, waiting } = await javaWaitsForEach(
      stage(),
      () => stage().thread(),
      held,
      (java) => java.tryAcquire(DEADLINE_MS),
    );
    await holder.kill();
    const killedAt = performance.now();
    await Promise.race(waiting.map(({ outcome }) => outcome));
    expect(performance.now() - killedAt).toBeGreaterThan(LEFT_MS);
    expect(await Promise.all(waiting.map(({ outcome }) => outcome))).toEqual(held.map(() => true));
    for (const side of sides) await side.release();
  });

  test('a JVM that stands still for longer than its session: Node holds, and what Java does afterwards takes nothing away', async () => {
    await using java = await stage().startJava();
    const held = paths();
    const sides = held.map(({ first, path }) => javaSide(java.thread(), first, path));
    for (const side of sides) await side.acquire();
    const waiting = await nodeWaitsForEach(stage(), held, { timeoutMs: DEADLINE_MS });
    await java.pause();
    const holds = await Promise.all(waiting.map(({ outcome }) => outcome));
    java.resume();
    const thread = java.thread();
    await waitFor('Curator has lost its session', async () => {
      return ((await thread.task('states')) as string[]).includes('LOST');
    });
    await waitFor('Curator has another one', async () => {
      return ((await thread.task('states')) as string[]).at(-1) === 'RECONNECTED';
    });
    // Curator's mutex does not know that it was lost. Its node has gone with its session, and no other node has that name.
    await Promise.all(sides.map((side) => side.release()));
    expect(holds.filter(({ lost }) => lost.aborted)).toEqual([]);
    const writers = held.filter(({ second }) => second !== 'readLock');
    const tried = writers.map(({ second, path }) => javaSide(stage().thread(), second, path).tryAcquire());
    expect(await Promise.all(tried)).toEqual(writers.map(() => false));
    for (const hold of holds) await hold.release();
  });

  test('a Node process that stands still for longer than its session: Java holds, and Node learns of it first of all', async () => {
    const held = paths();
    await using holder = startHolder(held.map(({ first, path }) => ({ side: first, path })));
    await holder.fact('holds', DEADLINE_MS);
    const { sides, waiting } = await javaWaitsForEach(
      stage(),
      () => stage().thread(),
      held,
      (java) => java.tryAcquire(DEADLINE_MS),
    );
    await holder.pause();
    expect(await Promise.all(waiting.map(({ outcome }) => outcome))).toEqual(held.map(() => true));
    holder.resume();
    // A turn of its event loop that runs after the pause finds every hold lost, and every release refused.
    const found = await holder.fact('after a pause', DEADLINE_MS);
    expect(found).toMatchObject({ lost: held.length, codes: ['LEASE_LOST'] });
    for (const side of sides) await side.release();
    // In a new session it waits and holds like any other.
    await holder.fact('holds again', DEADLINE_MS);
  });

  test('a LeaderSelector whose JVM stands still for longer than its session: Node holds, and Curator interrupts the term', async () => {
    await using java = await stage().startJava();
    const path = stage().newPath();
    const named = { path, id: 'java-1' };
    const thread = java.thread();
    await thread.call('leaderSelector', named, 'start');
    await waitFor('Java leads', () => thread.call('leaderSelector', named, 'hasLeadership'));
    const waiting = await stage().nodeWaits(path, () =>
      stage().locks.lock(path).acquire({ timeoutMs: DEADLINE_MS }),
    );
    await java.pause();
    const hold = await waiting.outcome;
    java.resume();
    await waitFor('the term is interrupted', async () => {
      return (await thread.call('leaderSelector', named, 'interruptions')) === 1;
    });
    expect(await thread.call('leaderSelector', named, 'hasLeadership')).toBe(false);
    hold.throwIfLost();
    await hold.release();
  });

  function startHolder(held: readonly { readonly side: string; readonly path: string }[]) {
    return startNode('zookeeper-holder', { servers: stage().ensemble.address, sessionMs: BRIEF_MS, held });
  }
}
