import {
  CLIENT,
  type Dialect,
  type DialectOptions,
  SCHEMA_VERSION,
  type Statement,
  type TableNames,
  USUAL_LIMIT_MS,
} from './dialect.ts';
import { quotedName } from './quoted-name.ts';

/**
 * Not `now()`, which stands still from the beginning of a transaction; and not `extract`, which computes in decimal
 * numbers of any length and costs several times as much.
 */
const NOW = `(date_part('epoch', clock_timestamp()) * 1000)`;

/**
 * Every change is one statement that answers with the row: one part changes it, the rest reads it. The read sees the
 * table as it was when the statement began, so a change that lost a race may answer with the row from before; the
 * client then reads again.
 */
export function postgresDialect(
  { tablePrefix, schema: namespace }: TableNames,
  { now = NOW, limitMs = USUAL_LIMIT_MS }: DialectOptions = {},
): Dialect {
  const table = (name: string): string =>
    `${namespace === undefined ? '' : `${quotedName(namespace)}.`}${quotedName(`${tablePrefix}${name}`)}`;
  const cells = table('cells');
  const schema = table('schema');
  const statement = (text: string, ...values: Statement['values']): Statement => ({ text, values });
  const look = `from (select 1) as one left join ${cells} as c on c.kind = $1 and c.name = $2`;
  // Only if an owner waits: a notification holds a lock of the whole server through the commit. As text, because the type
  // void of `pg_notify` is one that Prisma cannot read: its error would come after the change was made.
  const told = `case when d.done = 1 and $11::text is not null
      then pg_notify($10::text, $11::text || ' ' || ${now}::text)::text end`;
  // Reads the row only if nothing was done: otherwise no caller needs it, and it would travel for nothing.
  const answer = `select coalesce(d.done, 0), ${now}, c.version, c.document, c.changed_at, ${told}
    from (select 1) as one left join changed as d on true
      left join ${cells} as c on d.done is null and c.kind = $1 and c.name = $2`;
  const woken = 'case when $3::text is null then 0 else 1 end';
  const insert = `with changed as (
      insert into ${cells} (kind, name, version, fence, document, changed_at, expires_at, wakes, wake)
      select $1::text, $2::text, $4::text, $5::bigint, $6::text, ${now}, ${now} + $7::float8, ${woken}, $3::text
       where ${now} >= $8::float8 and ${now} < $9::float8
      on conflict (kind, name) do nothing returning 1 as done)
    ${answer}`;
  const set = `update ${cells} set version = $4::text, fence = $5::bigint, document = $6::text, changed_at = ${now},
      expires_at = ${now} + $7::float8, wakes = wakes + ${woken}, wake = coalesce($3::text, wake)`;
  const where = `where kind = $1 and name = $2 and version = $12 and ($13::text is null or document = $13::text)
         and ${now} >= $8::float8 and ${now} < $9::float8 returning 1 as done`;
  const update = `with changed as (${set} ${where}) ${answer}`;
  // Does not wait for the disk: the notification that goes with it would make all others wait for the disk.
  const updateSoon = `with soon as materialized (select set_config('synchronous_commit', 'off', true)),
      changed as (${set} from soon ${where}) ${answer}`;
  return {
    engine: 'postgres',
    schema: [
      // One statement, and serialized: two that create the same table at once make each other fail.
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
    created_at double precision not null,
    secret     text not null
  );
  insert into ${schema} (id, version, created_at, secret)
    values (1, ${SCHEMA_VERSION}, ${now}, gen_random_uuid()::text) on conflict do nothing;
end $holdfast$`,
    ],
    schemaVersion: statement(`select version, created_at, secret from ${schema}`),
    time: statement(`select ${now}`),
    read: (kind, name) => statement(`select ${now}, c.version, c.document, c.changed_at ${look}`, kind, name),
    write: (change) => {
      const { kind, name, version, fence, document, ttlMs, wake, notBefore, notAfter, expected } = change;
      const { notice, told: assumed } = change;
      const message = [notice?.channel ?? null, notice?.payload ?? null];
      const common = [kind, name, wake, version, fence, document, ttlMs, notBefore, notAfter, ...message];
      if (expected === undefined) return statement(insert, ...common);
      return statement(change.mayBeLost ? updateSoon : update, ...common, expected, assumed);
    },
    wakes: (keys) =>
      statement(
        `select c.kind, c.name, c.wakes, c.wake, c.version from json_array_elements($1::json) as k
           join ${cells} as c on c.kind = k ->> 0 and c.name = k ->> 1`,
        keys,
      ),
    cleanUp: (most) =>
      statement(
        `with alone as materialized (
             select pg_try_advisory_xact_lock(hashtextextended(${literal(cleanUpName(cells))}, 0)) as mine)
           delete from ${cells} where (kind, name) in
             (select c.kind, c.name from ${cells} as c, alone
               where alone.mine and c.expires_at < ${now} limit $1::int for update of c skip locked)
           returning 1 as done`,
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
    announce: (client, said, lastMs) =>
      statement(
        `insert into ${cells} as c (kind, name, version, fence, document, changed_at, expires_at)
         values ('${CLIENT}', $1::text, $1::text, 0, $2::text, ${now}, ${now} + $3::float8)
         on conflict (kind, name) do update set document = excluded.document, changed_at = excluded.changed_at,
           expires_at = excluded.expires_at`,
        client,
        said,
        lastMs,
      ),
    retract: (client) => statement(`delete from ${cells} where kind = '${CLIENT}' and name = $1`, client),
    announced: (clients) =>
      statement(
        `select ${now}, c.name, c.document from (select 1) as one left join ${cells} as c on c.kind = '${CLIENT}'
           and c.name in (select json_array_elements_text($1::json)) and c.expires_at > ${now}`,
        clients,
      ),
    // Several statements without parameters are one round trip. All three limits: a wait for the row, a statement that
    // waits for the table, and a client that goes idle between two of them.
    begin: `begin isolation level read committed;
      set local lock_timeout = ${limitMs}; set local statement_timeout = ${limitMs};
      set local idle_in_transaction_session_timeout = ${limitMs}`,
    commit: 'commit',
    lock: (kind, name) =>
      statement(
        `with row as (select version, document, changed_at from ${cells} where kind = $1 and name = $2 for update)
         select ${now}, row.version, row.document, row.changed_at from (select 1) as one left join row on true`,
        kind,
        name,
      ),
  };
}

/** The lock of the process that deletes rows. */
function cleanUpName(cells: string): string {
  return `holdfast clean-up of ${cells}`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
