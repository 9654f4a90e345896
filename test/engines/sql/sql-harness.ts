import { systemRandom } from '../../../src/core/time/clock.ts';
import type { SqlInside } from '../../../src/engines/sql/open-sql-engine.ts';
import type { SqlClient } from '../../../src/engines/sql/sql-client.ts';
import type { SqlSettings } from '../../../src/engines/sql/sql-options.ts';
import type { Factories, Synchronizers } from '../../../src/index.ts';
import { ruleBook } from '../../../src/kernels/cells/rule-book.ts';
import type { Clock, Random } from '../../../src/spi/clock.ts';
import type { HarnessClientOptions, Harness, HarnessTime } from '../../../src/testing/index.ts';
import { MortalClock } from '../mortal-clock.ts';
import { realSurroundings } from '../real-surroundings.ts';
import { slowness } from '../slowness.ts';
import type { OpenClient } from '../sql-clients/open-client.ts';
import { MortalSqlClient } from './mortal-sql-client.ts';

/** An engine over a client. */
export type OpenEngine = (
  sql: SqlClient,
  options: SqlSettings,
  surroundings: { readonly clock: Clock; readonly random: Random },
) => Synchronizers & { readonly inside: SqlInside };

interface Life {
  readonly clock: MortalClock;
  readonly sql: MortalSqlClient;
  readonly pool: OpenClient;
}

export interface SqlHarnessOptions {
  readonly engine: string;
  readonly extras: readonly string[];
  readonly open: OpenEngine;
  /** A pool of its own for each client. */
  readonly connect: () => OpenClient;
  readonly unitMs?: number;
}

/** Clients of a server, each on connections of its own, each of which can be killed. */
export class SqlHarness implements Harness {
  readonly engine: string;
  readonly factories = Object.keys(ruleBook) as (keyof Factories)[];
  readonly announces = true;
  readonly extras: readonly string[];
  readonly time: HarnessTime;
  readonly #options: SqlHarnessOptions;
  readonly #lives = new WeakMap<Synchronizers, Life>();
  readonly #dead: Life[] = [];
  #young = 0;

  constructor(options: SqlHarnessOptions) {
    this.engine = options.engine;
    this.extras = options.extras;
    this.#options = options;
    this.time = { ...realSurroundings.time, unitMs: (options.unitMs ?? 700) * slowness };
  }

  /** Ready: the first connection and the first look for the tables take their time, and are not what is measured. */
  async open(options: HarnessClientOptions = {}): Promise<Synchronizers> {
    return this.#openReady(options);
  }

  /** In tables that have just been made. */
  async openYoung(options: HarnessClientOptions = {}): Promise<Synchronizers> {
    return this.#openReady({ ...options, tablePrefix: `young_${++this.#young}_` });
  }

  run(body: () => Promise<void>): Promise<void> {
    return body();
  }

  /** Tables that were just made may have lost everything: a quorum counts only those that have been there for long. */
  async growUp(): Promise<void> {
    const { client, inside } = this.#open({});
    const subject = { resource: 'test', engine: this.engine };
    await inside.schema.prepare(subject);
    await inside.statements.run(subject, { text: 'update holdfast_schema set created_at = 0', values: [] });
    await client.close();
  }

  async crash(client: Synchronizers): Promise<void> {
    const life = this.#lives.get(client)!;
    life.clock.stop();
    life.sql.cut();
    this.#dead.push(life);
  }

  loseNextReply(client: Synchronizers): void {
    this.#lives.get(client)!.sql.loseNextReply(0.75 * this.time.unitMs);
  }

  silence(client: Synchronizers): () => void {
    return this.#lives.get(client)!.sql.silence();
  }

  async leftovers(): Promise<readonly string[]> {
    return [];
  }

  /** Connections of those who were killed. */
  async bury(): Promise<void> {
    for (const { pool } of this.#dead.splice(0)) await pool.end();
  }

  async #openReady(options: SqlSettings): Promise<Synchronizers> {
    const { client, inside } = this.#open(options);
    await inside.schema.prepare({ resource: 'test', engine: this.engine });
    return client;
  }

  #open(options: SqlSettings): { readonly client: Synchronizers; readonly inside: SqlInside } {
    const pool = this.#options.connect();
    const clock = new MortalClock(realSurroundings.clock);
    const sql = new MortalSqlClient(pool.client);
    // More than users have: many cases share a processor, and a statement that is late is not what they are about.
    const settings = { commandTimeoutMs: 4000 * slowness, ...options };
    const { inside, ...engine } = this.#options.open(sql, settings, { clock, random: systemRandom });
    let ended: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      await engine.close();
      await (ended ??= pool.end());
    };
    const client = { ...engine, close, [Symbol.asyncDispose]: close };
    this.#lives.set(client, { clock, sql, pool });
    return { client, inside };
  }
}
