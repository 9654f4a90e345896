import type { LockConnection, LockStep } from '../connection-locks/session-lock-kind.ts';
import { queryRow } from '../connection-locks/advisory-lock-kind.ts';
import type { SessionParts } from '../native-parts.ts';
import type { LockRows } from './lock-rows.ts';

/** The statements of one database on the table of its row locks: each database has placeholders and a clock of its own. */
export interface RowLockTexts {
  /** The fence of the row of a name, and the time in microseconds. Waits for the row, unless ` skip locked` is appended. */
  readonly select: string;
  readonly exists: string;
  readonly setFence: (
    name: string,
    fence: number,
  ) => readonly [text: string, values: readonly (string | number)[]];
}

/** Locks a row for each name by `SELECT … FOR UPDATE`, inside a transaction that the database begins in its own way. */
export class RowLockSteps {
  readonly #parts: SessionParts;
  readonly #rows: LockRows;
  readonly #texts: RowLockTexts;
  readonly #begin: (connection: LockConnection) => Promise<void>;

  constructor(
    parts: SessionParts,
    rows: LockRows,
    texts: RowLockTexts,
    begin: (connection: LockConnection) => Promise<void>,
  ) {
    this.#parts = parts;
    this.#rows = rows;
    this.#texts = texts;
    this.#begin = begin;
  }

  async attempt(connection: LockConnection): Promise<LockStep> {
    const atOnce = `${this.#texts.select} skip locked`;
    try {
      const step = await this.#lock(connection, atOnce);
      if (step.kind === 'granted' || (await this.#isThere(connection))) return step;
    } catch (error) {
      if (this.#parts.sql.failure(error) !== 'missing') throw error;
    }
    await connection.session.query('rollback', []);
    await this.#rows.add(connection);
    await this.#begin(connection);
    return this.#lock(connection, atOnce);
  }

  /** Waits for the row in the server. */
  async wait(connection: LockConnection): Promise<LockStep> {
    const step = await this.#lock(connection, this.#texts.select);
    // The row was deleted while we waited for it.
    return step.kind === 'granted' ? step : this.attempt(connection);
  }

  /** Keeps the fence in the row, so that it grows even if the clock goes back. */
  async #lock(connection: LockConnection, text: string): Promise<LockStep> {
    const [last, now] = await queryRow(connection.session, text, [connection.name]);
    if (last === undefined) return { kind: 'busy' };
    const fence = Math.max(Number(last) + 1, Number(now));
    await connection.session.query(...this.#texts.setFence(connection.name, fence));
    return { kind: 'granted', fence };
  }

  async #isThere({ session, name }: LockConnection): Promise<boolean> {
    return (await session.query(this.#texts.exists, [name])).rows.length > 0;
  }
}
