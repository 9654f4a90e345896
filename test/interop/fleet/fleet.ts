import type { RedisServer } from '../../fixtures/redis/redis-server.ts';
import type { Program } from '../../faults/redis/program.ts';
import { startNode } from '../node-program.ts';
import { Redisson, type RedissonVersion } from '../redisson/redisson.ts';
import type { FleetPlan } from './fleet-plan.ts';

const CLIENTS = ['node-redis', 'ioredis'] as const;

/** A place in the fleet, which is taken by one process after the other. */
interface Post {
  /** Ends its holder, without a word to any client, and puts another in its place. */
  replace(): Promise<void>;
  readonly isDone: boolean;
  /** Rejects if it ended by something else than a kill. */
  readonly failure: unknown;
  end(): Promise<void>;
}

export class NodePost implements Post {
  readonly #plan: FleetPlan;
  readonly #at: number;
  #program: Program;

  constructor(plan: FleetPlan, at: number) {
    this.#plan = plan;
    this.#at = at;
    this.#program = this.#start();
  }

  get isDone(): boolean {
    return this.#program.facts.some(({ what }) => what === 'done');
  }

  get failure(): unknown {
    return this.#program.isAlive ? undefined : new Error(`A Node process ended by itself.`);
  }

  async replace(): Promise<void> {
    await this.#program.kill();
    this.#program = this.#start();
  }

  end(): Promise<void> {
    return this.#program.kill();
  }

  #start(): Program {
    return startNode('incrementer', { ...this.#plan, client: CLIENTS[this.#at % CLIENTS.length] });
  }
}

export class JavaPost implements Post {
  readonly #plan: FleetPlan;
  readonly #version: RedissonVersion;
  failure: unknown;
  #java: Redisson | undefined;
  #done = 0;

  private constructor(plan: FleetPlan, version: RedissonVersion) {
    this.#plan = plan;
    this.#version = version;
  }

  static async open(plan: FleetPlan, version: RedissonVersion): Promise<JavaPost> {
    const post = new JavaPost(plan, version);
    await post.#start();
    return post;
  }

  get isDone(): boolean {
    return this.#done === this.#plan.workers;
  }

  async replace(): Promise<void> {
    await this.end();
    await this.#start();
  }

  async end(): Promise<void> {
    const java = this.#java;
    this.#java = undefined;
    await java?.kill();
  }

  async #start(): Promise<void> {
    const { port, kind, name, goal, workers, readers, pauseMs, leaseMs, fairWaitMs } = this.#plan;
    const settings = { lockWatchdogTimeout: leaseMs, fairLockWaitTimeout: fairWaitMs };
    const java = await Redisson.start(this.#version, { port }, [settings]);
    this.#java = java;
    this.#done = 0;
    for (let at = 0; at < workers; at += 1) {
      java
        .thread()
        .task('increment', { kind, name, goal, reads: at < readers, pauseMs })
        .then(
          () => (this.#done += java === this.#java ? 1 : 0),
          (error: unknown) => {
            if (java === this.#java) this.failure = error;
          },
        );
    }
  }
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
