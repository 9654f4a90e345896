import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisServer } from '../../fixtures/redis/redis-server.ts';
import type { RespConnection } from '../../fixtures/redis/resp-connection.ts';
import type { FleetPlan } from './fleet-plan.ts';

const PERIOD_MS = 5;

/** A time in which nobody had the lock. */
export interface FreeSpell {
  readonly forMs: number;
  /** How many had to leave the line of a fair lock before somebody got in: they were dead. */
  readonly deadHeads: number;
}

/**
 * Watches for how long a lock is free at a stretch. It looks every few milliseconds; somebody who held it in between has
 * moved the number, so that a look which finds another number begins anew.
 */
export class FreeWatch {
  readonly #plan: FleetPlan;
  readonly #spells: FreeSpell[] = [];
  readonly #ended: Promise<void>;
  #watching = true;

  constructor(server: RedisServer, plan: FleetPlan) {
    this.#plan = plan;
    this.#ended = this.#watch(server);
  }

  async end(): Promise<readonly FreeSpell[]> {
    this.#watching = false;
    await this.#ended;
    return this.#spells;
  }

  async #watch(server: RedisServer): Promise<void> {
    const { name } = this.#plan;
    using connection = await server.connect();
    let since: number | undefined;
    let before: readonly string[] = [];
    let last: unknown;
    while (this.#watching) {
      const atMs = performance.now();
      const [held, value, line] = await Promise.all([
        connection.command('EXISTS', name),
        connection.command('GET', `${name}:value`),
        this.#line(connection),
      ]);
      const isFree = held === 0 && value === last;
      last = value;
      if (isFree && since === undefined) {
        since = atMs;
        before = line;
      } else if (!isFree && since !== undefined) {
        const gone = before.filter((one) => !line.includes(one));
        this.#spells.push({ forMs: atMs - since, deadHeads: Math.max(0, gone.length - 1) });
        since = undefined;
      }
      await sleep(PERIOD_MS);
    }
  }

  async #line(connection: RespConnection): Promise<readonly string[]> {
    if (this.#plan.kind !== 'fairLock') return [];
    const queue = `redisson_lock_queue:{${this.#plan.name}}`;
    return (await connection.command('LRANGE', queue, 0, -1)) as string[];
  }
}
