import type { CpuProfile, ProfileNode } from './cpu-profile.ts';
import { originOf } from './origin.ts';

/** A function, and what part of the working time it took by itself. */
export interface HotSpot {
  readonly where: string;
  readonly share: number;
}

export interface HotSpots {
  /** The time in which something was done, in milliseconds. */
  readonly workedMs: number;
  /** Parts of it by whose code it was, the largest first. */
  readonly origins: readonly HotSpot[];
  readonly functions: readonly HotSpot[];
}

/** Where the time of some processes went. Waiting does not count. */
export function hotSpotsOf(profiles: readonly CpuProfile[]): HotSpots {
  const origins = new Map<string, number>();
  const functions = new Map<string, number>();
  for (const profile of profiles) {
    for (const [node, us] of selfTimesOf(profile)) {
      if (node.callFrame.functionName === '(idle)') continue;
      add(origins, originOf(node.callFrame), us);
      add(functions, placeOf(node), us);
    }
  }
  const workedUs = [...origins.values()].reduce((sum, us) => sum + us, 0);
  const shares = (times: ReadonlyMap<string, number>): HotSpot[] =>
    [...times]
      .map(([where, us]) => ({ where, share: us / workedUs }))
      .toSorted((one, other) => other.share - one.share);
  return { workedMs: workedUs / 1000, origins: shares(origins), functions: shares(functions) };
}

function selfTimesOf({ nodes, samples, timeDeltas }: CpuProfile): Map<ProfileNode, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const times = new Map<ProfileNode, number>();
  for (const [at, id] of samples.entries()) {
    const node = byId.get(id);
    if (node !== undefined) add(times, node, timeDeltas[at] ?? 0);
  }
  return times;
}

function add<K>(times: Map<K, number>, key: K, us: number): void {
  times.set(key, (times.get(key) ?? 0) + us);
}

/** The last two parts of a path say enough, and nothing of the machine. */
function placeOf({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string {
  const name = functionName === '' ? '(anonymous)' : functionName;
  if (url === '') return name;
  return `${name} (${url.split('/').slice(-2).join('/')}:${lineNumber + 1})`;
}
