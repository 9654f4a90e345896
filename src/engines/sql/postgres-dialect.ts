import { type Dialect, SCHEMA_VERSION, type Statement, type TableNames } from './dialect.ts';

/** Not `now()`, which stands still from the beginning of a transaction on. */
const NOW = `(extract(epoch from clock_timestamp()) * 1000)::float8`;

/**
 * Every change is one statement that answers with what is there: a part of it changes the row, the rest looks. The look
 * sees the table as it was when the statement began, so that a change which another one had beaten by a hair is told with
 * what was there before; whoever gets such an answer reads again.
 */
export function postgresDialect({ tablePrefix, schema: namespace }: TableNames, now: string = NOW): Dialect {
  const table = (name: string): string =>
    `${namespace === undefined ? '' : `${quoted(namespace)}.`}${quoted(`${tablePrefix}${name}`)}`;
  const cells = table('cells');
  const schema = table('schema');
  const channel = literal(channelOf(tablePrefix));
  const statement = (text: string, ...values: Statement['values']): Statement => ({ text, values });
  const look = `from (select 1) as one left join ${cells} as c on c.kind = $1 and c.name = $2`;
  // Only when somebody waits: a notification takes a lock of the whole server with it through the commit.
  const told = `case when d.done = 1 and $3::text is not null
      then pg_notify(${channel}, $1::text || ' ' || $2::text || chr(10) || $3::text) end`;
  const answer = `select d.done, ${now}, c.version, c.document, c.changed_at, ${told}
    from (select count(*)::int as done from changed) as d left join ${cells} as c on c.kind = $1 and c.name = $2`;
  const values = `$4::text, $5::bigint, $6::text, ${now}, ${now} + $7::float8`;
  const insert = `with changed as (
      insert into ${cells} (kind, name, version, fence, document, changed_at, expires_at, wakes, wake)
      select $1::text, $2::text, ${values}, case when $3::text is null then 0 else 1 end, $3::text
       where ${now} >= $8::float8 and ${now} < $9::float8
      on conflict (kind, name) do nothing returning 1)
    ${answer}`;
  const update = `with changed as (
      update ${cells} set (version, fence, document, changed_at, expires_at, wakes, wake)
        = (select ${values}, wakes + case when $3::text is null then 0 else 1 end, coalesce($3::text, wake))
       where kind = $1 and name = $2 and version = $10
         and ${now} >= $8::float8 and ${now} < $9::float8
      returning 1)
    ${answer}`;
  return {
    engine: 'postgres',
    schema: [
      // One statement, and one after the other: two that create the same table at once make each other fail.
      `do $holdfast$ begin
  perform pg_advisory_xact_lock(hashtext(${literal(`${tablePrefix}schema`)}));
  create table if not exists ${cells} (
    kind       text collate "C" not null,
    name       text collate "C" not null,
    version    text collate "C" not null,
    fence      bigint not null,
    document   text not null,
    changed_at double precision not null,
    expires_at double precision,
    wakes      bigint not null default 0,
    wake       text,
    primary key (kind, name)
  ) with (fillfactor = 50);
  create table if not exists ${schema} (
    id         int primary key check (id = 1),
    version    int not null,
    created_at double precision not null
  );
  insert into ${schema} (id, version, created_at) values (1, ${SCHEMA_VERSION}, ${now}) on conflict do nothing;
end $holdfast$`,
    ],
    schemaVersion: statement(`select version, created_at from ${schema}`),
    time: statement(`select ${now}`),
    read: (kind, name) => statement(`select ${now}, c.version, c.document, c.changed_at ${look}`, kind, name),
    write: (change) => {
      const { kind, name, version, fence, document, ttlMs, wake, notBefore, notAfter, expected } = change;
      const common = [kind, name, wake, version, fence, document, ttlMs, notBefore, notAfter];
      if (expected === undefined) return statement(insert, ...common);
      return statement(update, ...common, expected);
    },
    wakes: (keys) =>
      statement(
        `select c.kind, c.name, c.wakes, c.wake from json_array_elements($1::json) as k
           join ${cells} as c on c.kind = k ->> 0 and c.name = k ->> 1`,
        keys,
      ),
    cleanUp: (most) =>
      statement(
        `delete from ${cells} where (kind, name) in
           (select kind, name from ${cells} where expires_at < ${now} limit $1::int for update skip locked)`,
        most,
      ),
    list: ({ kind, name }, prefix, most) =>
      statement(
        `select kind, name from ${cells}
          where (kind, name) > ($1, $2) and left(name, length($3::text)) = $3 order by kind, name limit $4::int`,
        kind,
        name,
        prefix,
        most,
      ),
    begin: 'begin isolation level read committed',
    lock: (kind, name) =>
      statement(
        `with row as (select version, document, changed_at from ${cells} where kind = $1 and name = $2 for update)
         select ${now}, row.version, row.document, row.changed_at from (select 1) as one left join row on true`,
        kind,
        name,
      ),
  };
}

/** What is told goes to all who use these tables. */
export function channelOf(tablePrefix: string): string {
  return `${tablePrefix}wake`;
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
