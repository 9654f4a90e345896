import type { RedisServer } from '../../fixtures/redis/redis-server.ts';
import { startNode } from '../node-program.ts';
import { JavaPost, NodePost } from '../posts.ts';
import { Redisson, type RedissonVersion } from '../redisson/redisson.ts';
import type { FleetPlan } from './fleet-plan.ts';

const CLIENTS = ['node-redis', 'ioredis'] as const;

/** The posts take turns between the clients of Redis. */
export function nodePost(plan: FleetPlan, at: number): NodePost {
  return new NodePost(() => startNode('incrementer', { ...plan, client: CLIENTS[at % CLIENTS.length] }));
}

export function redissonPost(plan: FleetPlan, version: RedissonVersion): Promise<JavaPost<Redisson>> {
  const { port, kind, name, goal, workers, readers, pauseMs, leaseMs, fairWaitMs } = plan;
  const settings = { lockWatchdogTimeout: leaseMs, fairLockWaitTimeout: fairWaitMs };
  return JavaPost.open({
    workers,
    start: () => Redisson.start(version, { port }, [settings]),
    work: (java, worker) =>
      java.thread().task('increment', { kind, name, goal, reads: worker < readers, pauseMs }),
  });
}

export interface FleetRecord {
  readonly value: number;
  /** Undefined for a Java lock that has none. */
  readonly fence: bigint | undefined;
  readonly side: string;
}

export async function recordsOf(server: RedisServer, name: string): Promise<readonly FleetRecord[]> {
  const lines = (await server.command('LRANGE', `${name}:records`, 0, -1)) as string[];
  return lines.map((line) => {
    const [value, fence = '-', side = ''] = line.split(' ');
    return { value: Number(value), fence: fence === '-' ? undefined : BigInt(fence), side };
  });
}
