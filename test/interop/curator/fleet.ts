import { readFileSync } from 'node:fs';
import { startNode } from '../node-program.ts';
import { JavaPost, NodePost } from '../posts.ts';
import { Curator, type CuratorVersion } from './curator.ts';
import type { FleetPlan } from './fleet-plan.ts';

export function nodePost(plan: FleetPlan): NodePost {
  return new NodePost(() => startNode('zookeeper-incrementer', plan));
}

export function curatorPost(plan: FleetPlan, version: CuratorVersion): Promise<JavaPost<Curator>> {
  const { servers, sessionMs, workers } = plan;
  return JavaPost.open({
    workers,
    start: () => Curator.start(version, [{ servers, sessionMs }]),
    work: (java) => java.thread().task('increment', plan),
  });
}

/** One increment, as it was appended. */
export interface Increment {
  readonly value: number;
  readonly side: string;
  /** Undefined for Java, whose mutex has none. */
  readonly fence: bigint | undefined;
}

export function incrementsIn(file: string): readonly Increment[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const [value, side = '', fence] = line.split(' ');
    return { value: Number(value), side, fence: fence === undefined ? undefined : BigInt(fence) };
  });
}
