import { expect, test } from 'vitest';
import { Client } from '../../src/core/client.ts';
import { Session } from '../../src/core/session.ts';
import { OptimisticCells } from '../../src/kernels/cells/optimistic-cells.ts';
import type { DocumentChange, Documents, Found } from '../../src/spi/engine/documents.ts';
import { ReliableCells } from '../../src/kernels/cells/reliable-cells.ts';
import { SeededRandom } from '../engines/seeded-random.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';

const POOL_SIZE = 10;
const NAMES = 3000;
const HOUR_MS = 60 * 60 * 1000;

/** Documents behind a pool of connections: a statement waits for one, and is under way for so long. */
class PooledShelf implements Documents {
  readonly confirms = false;
  readonly guesses = true;
  readonly atOnce = POOL_SIZE;
  readonly retentionMs = HOUR_MS;
  statements = 0;
  statementMs = 5;
  readonly #clock: VirtualClock;
  readonly #rows = new Map<string, Omit<Found, 'now'>>();
  readonly #queue: (() => void)[] = [];
  #free = POOL_SIZE;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  read(_kind: string, name: string): Promise<Found> {
    return this.#statement((now) => ({ ...this.#at(name), now }));
  }

  /** As MySQL: a change that was not made answers nothing, and what is there takes a look. */
  async write(change: DocumentChange): Promise<{ readonly now: number; readonly instead?: Found }> {
    const done = await this.#statement((now) => {
      const inTime = now >= change.notBefore && now < change.notAfter;
      if (this.#at(change.name).version !== change.expected || !inTime) return undefined;
      this.#rows.set(change.name, { version: change.version, state: change.state, changedAt: now });
      return { now };
    });
    if (done !== undefined) return done;
    const instead = await this.read(change.kind, change.name);
    return { now: instead.now, instead };
  }

  time(): Promise<number> {
    return this.#statement((now) => now);
  }

  clockOf(): string {
    return '';
  }

  watch() {
    return () => undefined;
  }

  #at(name: string): Omit<Found, 'now'> {
    return this.#rows.get(name) ?? { version: undefined, state: undefined };
  }

  /** Half of its time it takes to arrive, and the other half to be answered. */
  async #statement<T>(carriedOut: (now: number) => T): Promise<T> {
    this.statements++;
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((lent) => this.#queue.push(lent));
    await this.#clock.sleep(this.statementMs / 2);
    const answer = carriedOut(this.#clock.epochNow());
    await this.#clock.sleep(this.statementMs / 2);
    const next = this.#queue.shift();
    if (next === undefined) this.#free++;
    else next();
    return answer;
  }
}

/** Acquires as many names at once, and tells how many statements that took. */
async function statementsOf(names: number, statementMs: number): Promise<number> {
  const clock = new VirtualClock();
  const shelf = new PooledShelf(clock);
  const client = new Client({
    label: 'pooled',
    clock,
    random: new SeededRandom('pooled'),
    renewalLeaseMs: 30_000,
    maxHoldMs: Infinity,
  });
  const session = new Session(client, { beat: () => 'alive' as const, end: () => undefined }, Infinity);
  const cells = new ReliableCells(client, session, new OptimisticCells(client, shelf), {
    commandTimeoutMs: 20_000,
  });
  const acquire = async (name: string): Promise<unknown> => {
    const ask = { owner: client.ids.next(), leaseMs: 30_000, fences: 1, wait: true, interestMs: 30_000 };
    return ((await cells.change('lock', name, 'acquire', ask)) as { readonly kind: string }).kind;
  };
  return clock.run(async () => {
    await acquire('before the burst');
    shelf.statements = 0;
    shelf.statementMs = statementMs;
    const all = await Promise.all(Array.from({ length: names }, (_, at) => acquire(`n${at}`)));
    expect(new Set(all)).toStrictEqual(new Set(['granted']));
    return shelf.statements;
  });
}

test('3,000 free names at once cost 3,000 statements over a pool of ten', async () => {
  expect(await statementsOf(NAMES, 5)).toBe(NAMES);
});

test('where no statement comes in time for a guess, a name costs a look and a change', async () => {
  const names = 500;
  const statements = await statementsOf(names, 800);
  expect(statements <= 2.6 * names, `${statements} statements`).toBeTruthy();
});
