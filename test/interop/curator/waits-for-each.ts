import type { HoldOptions } from '../../../src/index.ts';
import type { JavaSide, NodeHold } from '../contenders.ts';
import type { CuratorThread } from './curator.ts';
import { contendedName, type Kind } from './kinds.ts';
import { javaSide, nodeSide } from './sides.ts';
import type { CuratorStage } from './stage.ts';

/** Something that one side holds, for the other side to wait for. */
export type Held = Kind & { readonly path: string };

/** A wait that has begun. */
interface Begun<T> {
  readonly outcome: Promise<T>;
}

/** Each of these kinds at a path of its own. */
export function atNewPaths(stage: CuratorStage, kinds: readonly Kind[]): readonly Held[] {
  return kinds.map((kind) => ({ ...kind, path: stage.newPath() }));
}

/** Resolves when this process waits for each of them. */
export function nodeWaitsForEach(
  stage: CuratorStage,
  held: readonly Held[],
  options: HoldOptions = {},
): Promise<readonly Begun<NodeHold>[]> {
  const waits = held.map(({ second, path }) =>
    stage.nodeWaits(contendedName(second, path), () => nodeSide(stage.locks, second, path).acquire(options)),
  );
  return Promise.all(waits);
}

/** Resolves when a thread of Java waits for each of them, in the way that is given. */
export async function javaWaitsForEach<T>(
  stage: CuratorStage,
  newThread: () => CuratorThread,
  held: readonly Held[],
  wait: (side: JavaSide) => Promise<T>,
): Promise<{ readonly sides: readonly JavaSide[]; readonly waiting: readonly Begun<T>[] }> {
  const sides = held.map(({ second, path }) => javaSide(newThread(), second, path));
  const waits = sides.map((side, at) => stage.javaWaits(held[at]!.path, () => wait(side)));
  return { sides, waiting: await Promise.all(waits) };
}
