import { AsyncLocalStorage } from 'node:async_hooks';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemRandom } from '../../../src/core/time/clock.ts';
import type { ClientLiveness } from '../../../src/engines/sqlite/liveness/client-liveness.ts';
import { openSqlite } from '../../../src/engines/sqlite/open-sqlite.ts';
import type { SqliteSettings } from '../../../src/engines/sqlite/sqlite-options.ts';
import type { Factories, Synchronizers } from '../../../src/index.ts';
import { ruleBook } from '../../../src/kernels/cells/rule-book.ts';
import type { HarnessClientOptions, Harness, HarnessTime } from '../../../src/testing/index.ts';
import { MortalClock } from '../mortal-clock.ts';
import { realSurroundings } from '../real-surroundings.ts';
import { slowness } from '../slowness.ts';
import { fastFolder } from './fast-folder.ts';
import { MortalSqlClient } from '../sql/mortal-sql-client.ts';

interface ClientLife {
  readonly clock: MortalClock;
  readonly sql: MortalSqlClient;
  readonly life: ClientLiveness;
}

/** One case: its folder, and who was killed in it. */
interface Scene {
  readonly folder: string;
  readonly clocks: MortalClock[];
  readonly dead: ClientLife[];
}

const LONG_AGO_MS = 1000;

/** Clients of the SQLite engine on a file of each case's own, each of which can be killed. */
export class SqliteHarness implements Harness {
  readonly engine = 'sqlite';
  readonly factories = Object.keys(ruleBook) as (keyof Factories)[];
  readonly extras: readonly string[] = ['inspector'];
  readonly announces = true;
  readonly time: HarnessTime;
  readonly #settings: SqliteSettings;
  readonly #scenes = new AsyncLocalStorage<Scene>();
  readonly #lives = new WeakMap<Synchronizers, ClientLife>();

  constructor(settings: SqliteSettings = {}, unitMs = 500) {
    this.#settings = settings;
    this.time = { ...realSurroundings.time, unitMs: unitMs * slowness };
  }

  async open(options: HarnessClientOptions = {}): Promise<Synchronizers> {
    return this.#open('locks.db', options, 365 * 24 * 60 * 60 * LONG_AGO_MS);
  }

  async openYoung(options: HarnessClientOptions = {}): Promise<Synchronizers> {
    return this.#open(`young-${readdirSync(this.#scene.folder).length}.db`, options, 0);
  }

  async run(body: () => Promise<void>): Promise<void> {
    const scene: Scene = { folder: fastFolder(), clocks: [], dead: [] };
    try {
      await this.#scenes.run(scene, body);
    } finally {
      for (const { sql } of scene.dead) await sql.close();
      rmSync(scene.folder, { recursive: true, force: true });
    }
  }

  async crash(client: Synchronizers): Promise<void> {
    const life = this.#lives.get(client)!;
    life.clock.stop();
    life.sql.cut();
    life.life.abandon();
    this.#scene.dead.push(life);
  }

  loseNextReply(client: Synchronizers): void {
    this.#lives.get(client)!.sql.loseNextReply(0.75 * this.time.unitMs);
  }

  silence(client: Synchronizers): () => void {
    return this.#lives.get(client)!.sql.silence();
  }

  /** Rows stay for as long as their fences matter; signs of life go with those who lived. */
  async leftovers(): Promise<readonly string[]> {
    const { folder, clocks, dead } = this.#scene;
    const timers = clocks.reduce((sum, { pending }) => sum + pending, 0);
    const signs = readdirSync(folder).filter((name) => name.includes('-alive-'));
    return [...(timers === 0 ? [] : [`${timers} timers`]), ...(signs.length <= dead.length ? [] : signs)];
  }

  get #scene(): Scene {
    const scene = this.#scenes.getStore();
    if (scene === undefined) throw new Error('Clients are opened within a case.');
    return scene;
  }

  async #open(name: string, options: HarnessClientOptions, ageMs: number): Promise<Synchronizers> {
    const scene = this.#scene;
    const clock = new MortalClock(realSurroundings.clock);
    let parts: Omit<ClientLife, 'clock'> | undefined;
    const { inside, ...client } = openSqlite(
      { commandTimeoutMs: 2000 * slowness, file: join(scene.folder, name), ...this.#settings, ...options },
      {
        clock,
        random: systemRandom,
        wrap: (inner, life) => {
          const sql = new MortalSqlClient(inner);
          parts = { sql, life };
          return sql;
        },
      },
    );
    const subject = { resource: 'test', engine: 'sqlite' };
    await inside.schema.prepare(subject);
    // A store that has just been made is one that may have lost everything: a quorum does not count it.
    const text = `update holdfast_schema set created_at = min(created_at, unixepoch('subsec') * 1000.0 - ?)`;
    await inside.statements.run(subject, { text, values: [ageMs] });
    inside.schema.forget();
    this.#lives.set(client, { clock, ...parts! });
    scene.clocks.push(clock);
    return client;
  }
}
