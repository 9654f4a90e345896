import { readFileSync } from 'node:fs';
import type { Program } from '../../faults/redis/program.ts';
import { startNode } from '../node-program.ts';
import { Curator, type CuratorVersion } from './curator.ts';
import type { FleetPlan } from './fleet-plan.ts';

/** A post of the fleet, which one process takes after the other. */
export interface FleetPost {
  readonly isDone: boolean;
  /** Why its process ended, if that was no kill. */
  readonly failure: unknown;
  /** Kills its process, and starts another one in its place. */
  replace(): Promise<void>;
  end(): Promise<void>;
}

export class NodePost implements FleetPost {
  readonly #plan: FleetPlan;
  #program: Program;

  constructor(plan: FleetPlan) {
    this.#plan = plan;
    this.#program = startNode('zookeeper-incrementer', plan);
  }

  get isDone(): boolean {
    return this.#program.facts.some(({ what }) => what === 'done');
  }

  get failure(): unknown {
    return this.#program.isAlive ? undefined : new Error('A Node process ended by itself.');
  }

  async replace(): Promise<void> {
    await this.#program.kill();
    this.#program = startNode('zookeeper-incrementer', this.#plan);
  }

  end(): Promise<void> {
    return this.#program.kill();
  }
}

export class JavaPost implements FleetPost {
  readonly #plan: FleetPlan;
  readonly #version: CuratorVersion;
  #java: Curator | undefined;
  #done = 0;
  failure: unknown;

  private constructor(plan: FleetPlan, version: CuratorVersion) {
    this.#plan = plan;
    this.#version = version;
  }

  static async open(plan: FleetPlan, version: CuratorVersion): Promise<JavaPost> {
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
    const { servers, sessionMs, workers } = this.#plan;
    const java = await Curator.start(this.#version, [{ servers, sessionMs }]);
    this.#java = java;
    this.#done = 0;
    for (let at = 0; at < workers; at += 1) void this.#work(java);
  }

  async #work(java: Curator): Promise<void> {
    try {
      await java.thread().task('increment', this.#plan);
      if (java === this.#java) this.#done += 1;
    } catch (error) {
      if (java === this.#java) this.failure = error;
    }
  }
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
