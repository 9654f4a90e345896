import type pg from 'pg';
import { pgPool } from './connections.ts';

/** How many statements a PostgreSQL server has carried out, by its own count. */
export class StatementCounts {
  readonly #pool: pg.Pool;

  private constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  static async at(port: number): Promise<StatementCounts> {
    const pool = await pgPool(port);
    await pool.query('create extension if not exists pg_stat_statements');
    return new StatementCounts(pool);
  }

  /** Ours are left out. */
  async now(): Promise<number> {
    const { rows } = await this.#pool.query<{ calls: string }>(
      `select coalesce(sum(calls), 0) as calls from pg_stat_statements where query not like '%pg_stat_statements%'`,
    );
    return Number(rows[0]?.calls);
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}
