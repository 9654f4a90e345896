import {
  CLIENT,
  type Dialect,
  type DialectOptions,
  SCHEMA_VERSION,
  type Statement,
  type TableNames,
} from './dialect.ts';
import { quotedName } from './quoted-name.ts';

/** Milliseconds since the epoch, in steps of one. Constant within one statement. */
const NOW = `(unixepoch('subsec') * 1000.0)`;

/** Builds the texts once for each engine object, so that a driver prepares each statement once. */
export function sqliteDialect({ tablePrefix }: TableNames, { now = NOW }: DialectOptions = {}): Dialect {
  const cells = quotedName(`${tablePrefix}cells`);
  const schema = quotedName(`${tablePrefix}schema`);
  const read = `select ${now}, version, document, changed_at from (select 1) left join ${cells} on kind = ? and name = ?`;
  const insert = `insert into ${cells} (kind, name, version, fence, document, changed_at, expires_at, wakes, wake)
    select ?, ?, ?, ?, ?, ${now}, ${now} + ?, ?, ? where ${now} >= ? and ${now} < ?
    on conflict (kind, name) do nothing returning 1, ${now}, version, null`;
  const update = `update ${cells} set version = ?, fence = ?, document = ?, changed_at = ${now}, expires_at = ${now} + ?,
      wakes = wakes + ?, wake = coalesce(?, wake)
    where kind = ? and name = ? and version = ? and ${now} >= ? and ${now} < ?
    returning 1, ${now}, version, null`;
  const statement = (text: string, ...values: Statement['values']): Statement => ({ text, values });
  return {
    engine: 'sqlite',
    schema: [
      `create table if not exists ${cells} (
  kind       text not null,
  name       text not null,
  version    text not null,
  fence      integer not null,
  document   text not null,
  changed_at real not null,
  expires_at real,
  wakes      integer not null default 0,
  wake       text,
  primary key (kind, name)
) without rowid`,
      `create table if not exists ${schema} (
  id         integer primary key check (id = 1),
  version    integer not null,
  created_at real not null
)`,
      `insert into ${schema} (id, version, created_at) values (1, ${SCHEMA_VERSION}, ${now}) on conflict do nothing`,
    ],
    schemaVersion: statement(`select version, created_at from ${schema}`),
    time: statement(`select ${now}`),
    read: (kind, name) => statement(read, kind, name),
    write: (change) => {
      const { kind, name, version, fence, document, ttlMs, wake, notBefore, notAfter, expected } = change;
      const told = wake === null ? 0 : 1;
      if (expected === undefined)
        return statement(
          insert,
          kind,
          name,
          version,
          fence,
          document,
          ttlMs,
          told,
          wake,
          notBefore,
          notAfter,
        );
      const row = [version, fence, document, ttlMs, told, wake];
      return statement(update, ...row, kind, name, expected, notBefore, notAfter);
    },
    wakes: (keys) =>
      statement(
        `select c.kind, c.name, c.wakes, c.wake, c.version from json_each(?) k
           join ${cells} c on c.kind = k.value ->> 0 and c.name = k.value ->> 1`,
        keys,
      ),
    cleanUp: (most) =>
      statement(
        `delete from ${cells} where (kind, name) in
           (select kind, name from ${cells} where expires_at < ${now} limit ?)`,
        most,
      ),
    list: ({ kind, name }, prefix, most) =>
      statement(
        `select kind, name from ${cells}
          where (kind, name) > (?, ?) and substr(name, 1, length(?)) = ? order by kind, name limit ?`,
        kind,
        name,
        prefix,
        prefix,
        most,
      ),
    announce: (client, said, lastMs) =>
      statement(
        `insert into ${cells} (kind, name, version, fence, document, changed_at, expires_at)
         values ('${CLIENT}', ?, ?, 0, ?, ${now}, ${now} + ?)
         on conflict (kind, name) do update set document = excluded.document, changed_at = excluded.changed_at,
           expires_at = excluded.expires_at`,
        client,
        client,
        said,
        lastMs,
      ),
    retract: (client) => statement(`delete from ${cells} where kind = '${CLIENT}' and name = ?`, client),
    announced: (clients) =>
      statement(
        `select ${now}, c.name, c.document from (select 1) left join ${cells} c on c.kind = '${CLIENT}'
           and c.name in (select value from json_each(?)) and c.expires_at > ${now}`,
        clients,
      ),
    begin: 'begin immediate',
    commit: 'commit',
    lock: (kind, name) => statement(read, kind, name),
  };
}
