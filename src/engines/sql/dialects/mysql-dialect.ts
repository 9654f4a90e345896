import {
  CLIENT,
  type Dialect,
  type DialectOptions,
  SCHEMA_VERSION,
  type Statement,
  type TableNames,
} from './dialect.ts';
import { COMMITS, limitedMysql, mysqlTransaction } from './mysql-limits.ts';
import { backquotedName } from './quoted-name.ts';

/** Microseconds since the epoch, whatever the time zone of the session. */
const NOW_US = `timestampdiff(microsecond, timestamp'1970-01-01 00:00:00', utc_timestamp(6))`;

/** The lock of the process that deletes rows: at most 64 characters, and distinct for each database of the server. */
const CLEAN_UP = `concat('holdfast:clean-up:', md5(concat_ws('.', database(), ?)))`;

/**
 * MySQL and MariaDB. Neither answers an UPDATE with rows, so the time comes back as the last inserted id, which is part
 * of every answer. Names are stored as bytes, so that no collation equates two of them; they travel as bytes, whatever
 * the character set of the connection, and documents in plain ASCII.
 */
export function mysqlDialect(
  { tablePrefix, schema: namespace }: TableNames,
  { now: nowUs = NOW_US, limitMs }: DialectOptions = {},
): Dialect {
  const table = (name: string): string =>
    `${namespace === undefined ? '' : `${backquotedName(namespace)}.`}${backquotedName(`${tablePrefix}${name}`)}`;
  const cells = table('cells');
  const schema = table('schema');
  const now = `(${nowUs} / 1000.0)`;
  const limit = limitedMysql(limitMs);
  const statement = (text: string, ...values: Statement['values']): Statement => ({
    text: limit + text,
    values,
  });
  const look = `from (select 1) as one left join ${cells} as c on c.kind = ? and c.name = ?`;
  const insert = `insert ignore into ${cells}
      (kind, name, version, fence, document, expires_at, wakes, wake, changed_us)
    select ?, ?, ?, ?, ?, ${now} + ?, ?, ?, last_insert_id(${nowUs}) from (select 1) as one
     where ${now} >= ? and ${now} < ? and ${COMMITS}`;
  const update = `update ${cells} set version = ?, fence = ?, document = ?, expires_at = ${now} + ?,
      wakes = wakes + ?, wake = coalesce(?, wake), changed_us = last_insert_id(${nowUs})
    where kind = ? and name = ? and version = ? and ${now} >= ? and ${now} < ? and ${COMMITS}`;
  return {
    engine: 'mysql',
    schema: [
      `create table if not exists ${cells} (
  kind       varbinary(32) not null,
  name       varbinary(512) not null,
  version    char(32) character set ascii collate ascii_bin not null,
  fence      bigint not null,
  document   longtext character set ascii collate ascii_bin not null,
  expires_at double,
  wakes      bigint not null default 0,
  wake       text character set ascii collate ascii_bin,
  changed_us bigint not null,
  primary key (kind, name)
) engine = InnoDB row_format = dynamic`,
      `create table if not exists ${schema} (
  id         int not null primary key,
  version    int not null,
  created_at double not null
) engine = InnoDB`,
      `insert ignore into ${schema} (id, version, created_at) values (1, ${SCHEMA_VERSION}, ${now})`,
    ],
    schemaVersion: statement(`select version, created_at from ${schema}`),
    time: statement(`select ${now}`),
    read: (kind, name) =>
      statement(
        `select ${now}, c.version, c.document, c.changed_us / 1000.0, ${COMMITS} ${look}`,
        bytes(kind),
        bytes(name),
      ),
    write: (change) => {
      const { kind, name, version, fence, document, ttlMs, wake, notBefore, notAfter, expected } = change;
      const row = [version, fence, ascii(document), ttlMs, wake === null ? 0 : 1, wake];
      const guard = [notBefore, notAfter];
      if (expected === undefined) return statement(insert, bytes(kind), bytes(name), ...row, ...guard);
      return statement(update, ...row, bytes(kind), bytes(name), expected, ...guard);
    },
    written: ({ version }, changed, insertId) =>
      changed === 1 ? [1, insertId / 1000, version, null] : undefined,
    wakes: (keys) =>
      statement(
        `select convert(c.kind using utf8mb4), convert(c.name using utf8mb4), c.wakes, c.wake, c.version
           from json_table(?, '$[*]' columns (kind varchar(64) path '$[0]', name varchar(1024) path '$[1]')) as k
           join ${cells} as c on c.kind = unhex(k.kind) and c.name = unhex(k.name)`,
        keysInHex(keys),
      ),
    cleanUp: (most) =>
      statement(`delete from ${cells} where expires_at < ${now} and ${COMMITS} limit ${most}`),
    cleanUpLock: {
      take: statement(`select get_lock(${CLEAN_UP}, 0)`, cells),
      release: statement(`select release_lock(${CLEAN_UP})`, cells),
    },
    list: ({ kind, name }, prefix, most) =>
      statement(
        `select convert(kind using utf8mb4), convert(name using utf8mb4) from ${cells}
          where (kind > ? or (kind = ? and name > ?)) and left(name, ?) = ? order by kind, name limit ${most}`,
        bytes(kind),
        bytes(kind),
        bytes(name),
        Buffer.byteLength(prefix),
        bytes(prefix),
      ),
    announce: (client, said, lastMs) =>
      statement(
        `insert into ${cells} (kind, name, version, fence, document, expires_at, changed_us)
         select '${CLIENT}', ?, ?, 0, ?, ${now} + ?, ${nowUs} from (select 1) as one where ${COMMITS}
         on duplicate key update document = values(document), expires_at = values(expires_at)`,
        bytes(client),
        client,
        ascii(said),
        lastMs,
      ),
    retract: (client) =>
      statement(`delete from ${cells} where kind = '${CLIENT}' and name = ? and ${COMMITS}`, bytes(client)),
    announced: (clients) =>
      statement(
        `select ${now}, convert(c.name using utf8mb4), c.document from (select 1) as one left join ${cells} as c
           on c.kind = '${CLIENT}' and c.expires_at > ${now} and c.name in
             (select name from json_table(?, '$[*]' columns (name varchar(64) path '$')) as k)`,
        clients,
      ),
    ...mysqlTransaction(limitMs),
    lock: (kind, name) =>
      statement(
        `select ${now}, c.version, c.document, c.changed_us / 1000.0, ${COMMITS} ${look} for update`,
        bytes(kind),
        bytes(name),
      ),
  };
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text);
}

/** The same JSON in ASCII, which no connection converts. */
function ascii(json: string): string {
  return json.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The keys in hexadecimal, twice as long. */
function keysInHex(keys: string): string {
  const pairs = JSON.parse(keys) as readonly (readonly string[])[];
  return JSON.stringify(pairs.map((pair) => pair.map((part) => Buffer.from(part).toString('hex'))));
}
