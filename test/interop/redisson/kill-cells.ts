import { expect, test } from 'vitest';
import { waitFor } from '../../fixtures/wait-for.ts';
import { startNode } from '../node-program.ts';
import { channelOf, contendedName, LEASED } from './kinds.ts';
import type { NodeHold } from '../contenders.ts';
import { hasPermits, javaObject, javaSide, nodeSide, type Side } from './sides.ts';
import { BRIEF_MS, type InteropStage } from './stage.ts';

/** From the end of the last lease to the moment when the last of many is in. */
const GRACE_MS = 5000;

/** A process that dies while it holds one of everything, with a client from the other side waiting for each. */
export function killCells(stage: () => InteropStage): void {
  test('a JVM that is killed: Node acquires when its leases are over, and not before', async () => {
    const java = await stage().startJava();
    const held = LEASED.map((kind) => ({ ...kind, name: stage().newName() }));
    const setUp = stage().thread();
    for (const { first, name } of held) {
      if (hasPermits(first)) {
        await setUp.call(javaObject(first), name, 'trySetPermits', 1);
        await javaSide(java.thread(1), first, name).acquire(BRIEF_MS);
      } else {
        await javaSide(java.thread(1), first, name).acquire();
      }
    }
    const enteredAt: number[] = [];
    const waiting: Promise<NodeHold>[] = [];
    for (const [at, { second, name }] of held.entries()) {
      const node = nodeSide(stage().locks, second, name);
      const { outcome } = await stage().nodeWaits(contendedName(second, name), () => node.acquire());
      waiting.push(
        outcome.finally(() => {
          enteredAt[at] = performance.now();
        }),
      );
    }
    await java.kill();
    const killedAt = performance.now();
    const leftMs = await leftOf(stage(), held);

    for (const [at, acquiring] of waiting.entries()) {
      const hold = await acquiring;
      hold.throwIfLost();
      const { title } = held[at]!;
      const early = killedAt + leftMs[at]! - (enteredAt[at] ?? 0);
      expect({ title, early: early > 60 }).toEqual({ title, early: false });
    }
    expect(Math.max(...enteredAt) - killedAt).toBeLessThan(BRIEF_MS + GRACE_MS);
    for (const acquiring of waiting) await (await acquiring).release();
  });

  test('a Node process that is killed: Java acquires when its leases are over, and not before', async () => {
    const { client } = stage().setting;
    const held = LEASED.map((kind) => ({ ...kind, name: stage().newName() }));
    await using holder = startNode('holder', {
      client,
      place: stage().servers.place,
      renewalLeaseMs: BRIEF_MS,
      held: held.map(({ first, name }) => ({ side: first, name })),
    });
    await holder.fact('ready');
    const enteredAt: number[] = [];
    const sides = held.map(({ second, name }) => javaSide(stage().thread(), second, name));
    const waiting = sides.map(async (java, at) => {
      await java.acquire();
      enteredAt[at] = performance.now();
    });
    for (const { second, name } of held) {
      const listened = channelOf(second, name);
      await waitFor(`Java waits for ${name}`, () => stage().isListened(listened.channel, listened.name));
    }
    await holder.kill();
    const killedAt = performance.now();
    const leftMs = await leftOf(stage(), held);

    await Promise.all(waiting);
    for (const [at, { title }] of held.entries()) {
      const early = killedAt + leftMs[at]! - (enteredAt[at] ?? 0);
      expect({ title, early: early > 60 }).toEqual({ title, early: false });
    }
    expect(Math.max(...enteredAt) - killedAt).toBeLessThan(BRIEF_MS + GRACE_MS);
    for (const side of sides) await side.release();
  });
}

/** What is left of each lease; of a permit it is not looked up. */
function leftOf(
  stage: InteropStage,
  held: readonly { readonly first: Side; readonly name: string }[],
): Promise<number[]> {
  return Promise.all(
    held.map(async ({ first, name }) => {
      if (hasPermits(first)) return 0;
      return stage.servers.ttl(first === 'multiLock' ? contendedName('multiLock', name) : name);
    }),
  );
}
