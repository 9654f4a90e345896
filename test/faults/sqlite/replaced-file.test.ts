import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/core/time/clock.ts';
import { loadDriver } from '../../../src/engines/sqlite/file/drivers.ts';
import { SqliteClient } from '../../../src/engines/sqlite/file/sqlite-client.ts';
import type { SqliteConnection, SqliteDriver } from '../../../src/engines/sqlite/file/sqlite-driver.ts';
import { removeDatabase } from './remove-database.ts';
import { TemporaryFolder } from './temporary-folder.ts';

/** What opens a file says first and last. */
const STEPS = { 'at first': 'pragma auto_vacuum = incremental', 'at last': 'pragma journal_mode = wal' };

/** A driver that is overtaken so often: right after this step another file is there. */
function overtaken(
  real: SqliteDriver,
  step: string,
  mostTimes = 1,
): { readonly driver: SqliteDriver; readonly other: () => SqliteConnection } {
  let other: SqliteConnection | undefined;
  let times = 0;
  const open = (file: string): SqliteConnection => {
    const connection = real.open(file);
    const run: SqliteConnection['run'] = (text, values) => {
      const outcome = connection.run(text, values);
      if (text === step && times < mostTimes) {
        times++;
        removeDatabase(file);
        other = real.open(file);
        other.run('pragma journal_mode = wal', []);
      }
      return outcome;
    };
    return { run, execute: (text) => connection.execute(text), close: () => connection.close() };
  };
  return { driver: { name: real.name, open }, other: () => other! };
}

function tablesOf(connection: SqliteConnection): unknown[] {
  return connection.run("select name from sqlite_master where type = 'table'", []).rows.flat();
}

function clientOf(file: string, driver: SqliteDriver): SqliteClient {
  const load = async (): Promise<SqliteDriver> => driver;
  const ignored = (): void => undefined;
  return new SqliteClient({
    file,
    clock: systemClock,
    driver: load,
    onReplaced: ignored,
    onUnseen: ignored,
    onClosed: ignored,
  });
}

describe.each([
  ['a statement', async (client: SqliteClient, text: string) => void (await client.query(text, []))],
  [
    'a transaction',
    async (client: SqliteClient, text: string) => (await client.openSession()).query(text, []),
  ],
])('a file that another one replaces while it is opened is not where %s is made', (_what, make) => {
  test.each(
    Object.entries(STEPS).flatMap(([when, step]) => [
      { age: 'new', when, step },
      { age: 'old', when, step },
    ]),
  )('$age, replaced $when', async ({ age, step }) => {
    using folder = new TemporaryFolder();
    const file = folder.file();
    const real = await loadDriver();
    if (age === 'old') real.open(file).execute('create table before (id)');
    const { driver, other } = overtaken(real, step);
    const client = clientOf(file, driver);
    await make(client, 'create table after (id)');
    expect(tablesOf(other())).toStrictEqual(['after']);
    await client.close();
  });
});

test('a file that is another one each time is a clear error, and no loop without an end', async () => {
  using folder = new TemporaryFolder();
  const { driver } = overtaken(await loadDriver(), STEPS['at last'], Infinity);
  const client = clientOf(folder.file(), driver);
  await expect(client.query('select 1', [])).rejects.toThrow(/was another file each of the 10 times/);
  await client.close();
});
