import { expect, test } from 'vitest';
import { systemClock, systemRandom } from '../../../src/core/time/clock.ts';
import { openSqlite } from '../../../src/engines/sqlite/open-sqlite.ts';
import type { SqlClient, SqlSession } from '../../../src/engines/sql/sql-client.ts';
import type { Clock, Timer } from '../../../src/spi/clock.ts';
import { TemporaryFolder } from './temporary-folder.ts';

const NAMES = 6000;
/** One for each. The others are signs of life. */
const MOST_A_NAME = 1.1;
/** How the database writes what time it is. */
const NOW = 'time_of_the_test';
const STATEMENT_MS = 1;
/** Texts are prepared once each: time passes in steps, and in fewer than a guess is good for. */
const STEP_MS = 50;

/**
 * Time that passes with each statement, and not while the machine is busy with other work: a process that stands still makes
 * every decision stale, which is no fault of the client that decides. Timers are those of the machine.
 */
class StatementTime implements Clock {
  statements = 0;

  now(): number {
    return 5_000_000 + STEP_MS * Math.floor((this.statements * STATEMENT_MS) / STEP_MS);
  }

  epochNow(): number {
    return 1_750_000_000_000 + this.now();
  }

  timer(delayMs: number, call: () => void): Timer {
    return systemClock.timer(delayMs, call);
  }

  /** The same client, for whose database it is as late as it is here. */
  over(client: SqlClient): SqlClient {
    const { openSession } = client;
    return {
      atOnce: client.atOnce,
      query: (text, values, sending) => client.query(this.#now(text), values, sending),
      abandonAfter: (ms) => client.abandonAfter?.(ms),
      failure: (error) => client.failure(error),
      listen: client.listen,
      openSession: openSession && (async () => this.#session(await openSession.call(client))),
      close: () => client.close(),
    };
  }

  #session(session: SqlSession): SqlSession {
    return {
      native: session.native,
      onNotice: session.onNotice,
      query: (text, values) => session.query(this.#now(text), values),
      onBroken: (told) => session.onBroken(told),
      end: (how) => session.end(how),
    };
  }

  #now(text: string): string {
    this.statements++;
    return text.replaceAll(NOW, `${this.epochNow()}.0`);
  }
}

test('a burst of 6,000 free names is decided once for each name', async () => {
  using folder = new TemporaryFolder();
  const time = new StatementTime();
  const locks = openSqlite(
    { file: folder.file() },
    { clock: time, random: systemRandom, now: NOW, wrap: (sql) => time.over(sql) },
  );
  await locks.lock('before the burst').run(() => undefined);
  const before = time.statements;
  await Promise.all(Array.from({ length: NAMES }, (_, at) => locks.lock(`burst ${at}`).acquire()));
  const statements = time.statements - before;
  expect(statements, `${statements} statements`).toBeLessThanOrEqual(MOST_A_NAME * NAMES);

  await locks.close();
}, 180_000);
