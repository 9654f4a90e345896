import { setTimeout as sleep } from 'node:timers/promises';
import { Keys } from '../../../src/engines/redis/keys.ts';
import type { RedisServer } from '../../fixtures/redis/redis-server.ts';
import type { RespConnection } from '../../fixtures/redis/resp-connection.ts';
import type { FleetPlan } from './fleet-plan.ts';

const PERIOD_MS = 5;
const keys = new Keys('');

type Side = 'java' | 'node';

/** One who stands in line. */
interface Place {
  readonly owner: string;
  readonly side: Side;
}

/** A time in which no client had the lock. */
export interface FreeSpell {
  readonly forMs: number;
  /** Who had to leave the line of a fair lock before a client got in: they were dead. */
  readonly dead: Readonly<Record<Side, number>>;
}

/**
 * Watches for how long a lock is free at a stretch. It looks every few milliseconds; a client that held it in between has
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
    let before: readonly Place[] = [];
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
        this.#spells.push({ forMs: atMs - since, dead: deadOf(before, line) });
        since = undefined;
      }
      await sleep(PERIOD_MS);
    }
  }

  async #line(connection: RespConnection): Promise<readonly Place[]> {
    const { kind, name } = this.#plan;
    if (kind !== 'fairLock') return [];
    const [owners, ours] = await Promise.all([
      connection.command('LRANGE', keys.fairQueue(name), 0, -1) as Promise<string[]>,
      connection.command('HKEYS', keys.fairContributions(name)) as Promise<string[]>,
    ]);
    return owners.map((owner) => ({ owner, side: ours.includes(owner) ? 'node' : 'java' }));
  }
}

/** The last of those who are gone has the lock now; the client that stood before it did not take its turn. */
function deadOf(before: readonly Place[], after: readonly Place[]): FreeSpell['dead'] {
  const gone = before.filter(({ owner }) => !after.some((place) => place.owner === owner));
  const dead = { java: 0, node: 0 };
  for (const { side } of gone.slice(0, -1)) dead[side] += 1;
  return dead;
}
