import { chmodSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { connect, EngineError, LeaseLostError } from 'holdfast';
import { schemaSql, sqlite } from 'holdfast/sqlite';
import { systemClock, systemRandom } from '../../../src/core/time/clock.ts';
import { loadDriver } from '../../../src/engines/sqlite/file/drivers.ts';
import type { SqlClient } from '../../../src/engines/sql/sql-client.ts';
import { openSqlite } from '../../../src/engines/sqlite/open-sqlite.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { removeDatabase } from './remove-database.ts';
import { startSqliteProgram, startWithinBlocks } from './sqlite-program.ts';
import { TemporaryFolder } from './temporary-folder.ts';

const DEADLINE_MS = 60_000;
const NOBODY = 65_534;
const SYSTEM = { clock: systemClock, random: systemRandom };

function isEngineError(pattern: RegExp, retryable: boolean) {
  return (error: unknown): boolean => {
    expect(error, String(error)).toBeInstanceOf(EngineError);
    expect(error).toMatchObject({ message: expect.stringMatching(pattern), retryable });
    return true;
  };
}

describe('the file', () => {
  test(
    'that may not be written to is a clear error',
    async () => {
      using folder = new TemporaryFolder();
      await using locks = sqlite({ file: folder.file() });
      await locks.lock('a').run(() => undefined);
      chmodSync(folder.file(), 0o444);
      chmodSync(folder.path, 0o755);
      const as = process.getuid?.() === 0 ? { as: NOBODY } : {};
      await using other = startSqliteProgram('attempt', { file: folder.file(), times: 1, ...as });
      const refused = await other.fact('refused', DEADLINE_MS);
      expect(refused['code']).toBe('ENGINE');
      expect(String(refused['message'])).toMatch(/cannot be (written to|opened)/);
    },
    2 * DEADLINE_MS,
  );

  test(
    'on a full disk is a clear error, and works again when there is room',
    async () => {
      using folder = new TemporaryFolder();
      await using other = startWithinBlocks(400, 'attempt', { file: folder.file(), times: 1000 });
      const refused = await other.fact('refused', DEADLINE_MS);
      expect(refused['code']).toBe('ENGINE');
      expect(String(refused['message'])).toMatch(/disk full/);
      await using locks = sqlite({ file: folder.file() });
      expect(await locks.lock('b').tryAcquire()).toBeTruthy();
    },
    2 * DEADLINE_MS,
  );

  test('that is no database is left as it is', async () => {
    using folder = new TemporaryFolder();
    const text = 'not a database at all, but a user may need it. '.repeat(200);
    writeFileSync(folder.file(), text);
    await using locks = sqlite({ file: folder.file() });
    await expect(locks.lock('a').acquire()).rejects.toSatisfy(isEngineError(/not a database/, false));
    expect(statSync(folder.file()).size).toBe(text.length);
  });

  test('that others write to all the time is a clear error, and nothing is changed', async () => {
    using folder = new TemporaryFolder();
    const other = (await loadDriver()).open(folder.file());
    try {
      other.run('begin exclusive', []);
      await expect(connect(`sqlite:${folder.file()}`, { commandTimeoutMs: 300 })).rejects.toSatisfy(
        isEngineError(/could not be opened in time.*Nothing was changed/u, true),
      );
    } finally {
      other.run('rollback', []);
      other.close();
    }
    await using locks = await connect(`sqlite:${folder.file()}`);
    expect(await locks.lock('a').tryAcquire()).toBeTruthy();
  });

  test('that was damaged is a clear error', async () => {
    using folder = new TemporaryFolder();
    const raw = (await loadDriver()).open(folder.file());
    raw.execute(schemaSql('sqlite'));
    raw.close();
    // All but the header of the file, which says that it is a database.
    const bytes = readFileSync(folder.file());
    writeFileSync(folder.file(), bytes.fill(0xff, 100));
    await using locks = sqlite({ file: folder.file() });
    await expect(locks.lock('a').acquire()).rejects.toSatisfy(
      isEngineError(/damaged|malformed|refused/, false),
    );
  });

  test('in a folder that is not there is a clear error', async () => {
    using folder = new TemporaryFolder();
    await using locks = sqlite({ file: folder.file('no/such/locks.db') });
    await expect(locks.lock('a').acquire()).rejects.toSatisfy(
      isEngineError(/cannot be opened.*folder/, false),
    );
  });

  test('of a newer release is refused and left alone', async () => {
    using folder = new TemporaryFolder();
    const raw = (await loadDriver()).open(folder.file());
    raw.execute(schemaSql('sqlite'));
    raw.execute('update holdfast_schema set version = 99');
    raw.close();
    await using locks = sqlite({ file: folder.file() });
    await expect(locks.lock('a').acquire()).rejects.toSatisfy(
      isEngineError(/version 99.*Update holdfast/, false),
    );
  });

  test('that was made with the text of the schema is taken as it is', async () => {
    using folder = new TemporaryFolder();
    const raw = (await loadDriver()).open(folder.file());
    raw.execute(schemaSql('sqlite', { tablePrefix: 'our "odd" ' }));
    raw.close();
    await using locks = sqlite({ file: folder.file(), tablePrefix: 'our "odd" ' });
    expect(await locks.lock('a').tryAcquire()).toBeTruthy();
  });

  test('that was deleted while it was open is made anew, and who held something has lost it', async () => {
    using folder = new TemporaryFolder();
    const file = folder.file();
    await using locks = sqlite({ file, renewalLeaseMs: 600 });
    const hold = await locks.lock('a').acquire();
    removeDatabase(file);
    await using other = sqlite({ file });
    const next = await other.lock('a').acquire();
    await waitFor('the first holder knows', () => hold.lost.aborted);
    expect(hold.lost.reason).toBeInstanceOf(LeaseLostError);
    expect(next.fence).toBeGreaterThan(hold.fence);
    expect(await locks.lock('a').tryAcquire(), 'both use the new file').toBeNull();
    await next.release();
    expect(await locks.lock('a').tryAcquire()).toBeTruthy();
  });

  test(
    'does not keep unused rows: ten thousand names are gone after the clean-up',
    async () => {
      using folder = new TemporaryFolder();
      const raw = (await loadDriver()).open(folder.file());
      raw.execute('pragma auto_vacuum = incremental; pragma journal_mode = wal');
      raw.execute('create table clock (ms real); insert into clock values (0)');
      const now = `(unixepoch('subsec') * 1000.0 + (select ms from clock))`;
      const batches: number[] = [];
      const counted = (sql: SqlClient): SqlClient => ({
        query: async (text, values) => {
          const result = await sql.query(text, values);
          if (text.startsWith('delete')) batches.push(result.changed);
          return result;
        },
        failure: (error) => sql.failure(error),
        openSession: sql.openSession,
        close: () => sql.close(),
      });
      const surroundings = { ...SYSTEM, now, wrap: counted };
      const { inside, ...locks } = openSqlite({ file: folder.file(), announce: false }, surroundings);
      const held = await locks.lock('held').acquire({ leaseMs: 60 * 24 * 60 * 60 * 1000 });
      for (let name = 0; name < 10_000; name++) await locks.lock(`name ${name}`).run(() => undefined);
      const count = (): unknown => raw.run('select count(*) from holdfast_cells', []).rows[0]?.[0];
      const pages = (): number => Number(raw.run('pragma page_count', []).rows[0]?.[0]);
      expect(count()).toBe(10_001);
      const before = pages();
      await inside.cleanUp.runAll();
      expect(count(), 'fences are remembered for a week').toBe(10_001);
      raw.execute(`update clock set ms = ${30 * 24 * 60 * 60 * 1000}`);
      await inside.cleanUp.runAll();
      expect(count(), 'only what is held is left').toBe(1);
      // The first clean-up found nothing; the others never keep a client waiting for more than this many rows.
      expect(batches).toStrictEqual([0, ...Array.from({ length: 20 }, () => 500), 0]);
      expect(pages(), `${pages()} of ${before} pages`).toBeLessThan(before / 20);
      await held.release();
      await locks.close();
      raw.close();
    },
    2 * DEADLINE_MS,
  );

  // With libsql a pragma that has more to do stayed open, and with it a transaction: no other client came in for an hour, and
  // what this client wrote meanwhile would have gone with it.
  test('can be written to by others when pages were given back', async () => {
    using folder = new TemporaryFolder();
    const raw = (await loadDriver()).open(folder.file());
    const { inside, ...locks } = openSqlite({ file: folder.file() }, SYSTEM);
    const board = locks.monitor('board', { initial: '' });
    await board.run((section) => section.set('long '.repeat(200_000)));
    await board.run((section) => section.set('short'));
    const free = (): number => Number(raw.run('pragma freelist_count', []).rows[0]?.[0]);
    expect(free(), `${free()} pages are free`).toBeGreaterThan(200);
    await inside.cleanUp.runAll();
    await using other = sqlite({ file: folder.file(), commandTimeoutMs: 300 });
    expect(await other.lock('a').tryAcquire()).toBeTruthy();
    expect(free()).toBe(0);
    await locks.close();
    raw.close();
  });

  test('can be written to by others when a transaction was given up', async () => {
    using folder = new TemporaryFolder();
    await using other = sqlite({ file: folder.file(), commandTimeoutMs: 300 });
    await other.lock('a').run(() => undefined);
    const { inside, ...locks } = openSqlite({ file: folder.file() }, SYSTEM);
    const session = await inside.statements.sql.openSession!();
    await session.query('begin immediate', []);
    await session.query('select count(*) from holdfast_cells', []);
    await session.end('discard');
    expect(await other.lock('a').tryAcquire()).toBeTruthy();
    await locks.close();
  });

  test.skipIf(process.platform !== 'linux')('is not opened anew for each transaction', async () => {
    using folder = new TemporaryFolder();
    const { inside, ...locks } = openSqlite({ file: folder.file() }, SYSTEM);
    await locks.lock('a').run(() => undefined);
    const isOpen = (): number => openFiles().filter((file) => file.startsWith(folder.path)).length;
    await transaction(inside.statements.sql);
    const after = isOpen();
    for (let times = 0; times < 100; times++) await transaction(inside.statements.sql);
    expect(isOpen()).toBe(after);
    await locks.close();
  });

  test('that has taken the place of another is the one in which transactions are made', async () => {
    using folder = new TemporaryFolder();
    const file = folder.file();
    const { inside, ...locks } = openSqlite({ file }, SYSTEM);
    await locks.lock('a').run(() => undefined);
    expect(await transaction(inside.statements.sql)).toBe(1);
    removeDatabase(file);
    await using other = sqlite({ file });
    for (const name of ['b', 'c', 'd']) await other.lock(name).run(() => undefined);
    expect(await transaction(inside.statements.sql)).toBe(3);
    await locks.close();
  });
});

/** How many names it finds. */
async function transaction(sql: SqlClient): Promise<number> {
  const session = await sql.openSession!();
  await session.query('begin immediate', []);
  const { rows } = await session.query('select count(*) from holdfast_cells', []);
  await session.query('commit', []);
  await session.end('reuse');
  return Number(rows[0]?.[0]);
}

function openFiles(): string[] {
  const folder = '/proc/self/fd';
  return readdirSync(folder).map((fd) => {
    try {
      return readlinkSync(`${folder}/${fd}`);
    } catch {
      // That of the folder itself, which was open while it was read.
      return '';
    }
  });
}
