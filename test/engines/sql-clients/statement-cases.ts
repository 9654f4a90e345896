import { expect, test } from 'vitest';
import { RequestCopies } from '../../../src/kernels/requests/request-copies.ts';
import type { SqlClient } from '../../../src/engines/sql/sql-client.ts';

/** How the two kinds of servers write the same things. */
export interface Dialect {
  /** The parameter at this place, as text. */
  readonly text: (at: number) => string;
  readonly whole: (at: number) => string;
  readonly bytes: string;
  readonly autoKey: string;
}

export const postgresDialect: Dialect = {
  text: (at) => `$${at}::text`,
  whole: (at) => `$${at}::bigint`,
  bytes: 'bytea',
  autoKey: 'text collate "C" primary key',
};

export const mysqlDialect: Dialect = {
  text: () => `cast(? as char character set utf8mb4)`,
  whole: () => `cast(? as signed)`,
  bytes: 'varbinary(100)',
  autoKey: 'varbinary(200) primary key',
};

let tables = 0;

export function newTable(): string {
  tables += 1;
  return `t_${process.pid}_${tables}`;
}

export async function failureOf(client: SqlClient, statement: Promise<unknown>): Promise<string> {
  return statement.then(
    () => 'none',
    (error: unknown) => client.failure(error),
  );
}

/** What every way to a server does. */
export function statementCases(dialect: Dialect, open: () => SqlClient): void {
  const { text, whole } = dialect;

  test('brings values back in the order of the columns, whatever is in them', async () => {
    const odd = `'; drop table x; -- \\ " \` $1 ? 漢字 🔒 \n\t`;
    const { rows } = await open().query(
      `select ${text(1)} as one, ${whole(2)} as two, ${text(3)} as three, null as four`,
      [odd, 1_763_190_000_000_000, '{"a":1}'],
    );
    expect(rows).toHaveLength(1);
    const [one, two, three, four] = rows[0]!;
    expect([one, Number(two), three, four]).toEqual([odd, 1_763_190_000_000_000, '{"a":1}', null]);
  });

  test('says that a statement leaves, and sends none that is no longer wanted', async () => {
    const client = open();
    const sending = new RequestCopies(true);
    await client.query('select 1', [], sending);
    expect(sending.wasSent).toBe(true);
    if (client.abandonAfter === undefined) return;
    const unwanted = new RequestCopies(true);
    unwanted.giveUp();
    expect(await failureOf(client, client.query('select 1', [], unwanted))).toBe('unreachable');
    expect(unwanted.wasSent).toBe(false);
    // The connection that it was lent is back.
    await client.query('select 1', []);
  });

  test('says of a statement that was refused that it came to nothing, and not of another copy', async () => {
    const client = open();
    const sending = new RequestCopies(true);
    const refused = () =>
      failureOf(client, client.query('select * from there_is_no_such_table', [], sending));
    expect(await refused()).toBe('missing');
    expect(sending.wasSent).toBe(false);
    await client.query('select 1', [], sending);
    await refused();
    expect(sending.wasSent).toBe(true);
  });

  test('counts what it changed', async () => {
    const client = open();
    const table = newTable();
    await client.query(`create table ${table} (id ${dialect.autoKey}, n bigint)`, []);
    const first = text(1) === text(2) ? ['?', '?'] : ['$1', '$2'];
    for (const id of ['a', 'b', 'c']) {
      const { changed } = await client.query(`insert into ${table} values (${first[0]}, ${first[1]})`, [
        id,
        1,
      ]);
      expect(changed).toBe(1);
    }
    expect((await client.query(`update ${table} set n = n + ${first[0]}`, [1])).changed).toBe(3);
    expect((await client.query(`update ${table} set n = n where id = ${first[0]}`, ['z'])).changed).toBe(0);
    const { rows } = await client.query(`select n from ${table} where id = ${first[0]}`, ['b']);
    expect(rows.map(([n]) => Number(n))).toEqual([2]);
    await client.query(`drop table ${table}`, []);
  });

  test('says what is missing, and what is final', async () => {
    const client = open();
    expect(await failureOf(client, client.query('select 1 from no_such_table', []))).toBe('missing');
    expect(await failureOf(client, client.query('selec 1', []))).toBe('final');
    // And goes on.
    expect((await client.query('select 7', [])).rows.map(([n]) => Number(n))).toEqual([7]);
  });
}
