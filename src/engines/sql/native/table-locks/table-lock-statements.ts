import { createHash } from 'node:crypto';
import { backquotedName, quotedName } from '../../dialects/quoted-name.ts';
import { POSTGRES_MICROSECONDS } from '../connection-locks/advisory-lock-kind.ts';
import { COMMITS } from '../../dialects/mysql-limits.ts';
import { MYSQL_MICROSECONDS } from '../connection-locks/named-lock-kind.ts';

/** One of Spring's tables, and its layout. */
export interface SpringTable {
  readonly engine: 'postgres' | 'mysql';
  readonly schema: string | undefined;
  /** `INT_` for `INT_LOCK`. */
  readonly prefix: string;
  /**
   * Since version 7 each row says when it ends; before, a row said when it began, and every reader knew how long that
   * lasts.
   */
  readonly layout: 7 | 6;
  /** How long a row of layout 6 lasts: the same for all programs that use the table. */
  readonly ttlMs: number;
}

/**
 * By how much the clocks of application servers may differ from that of the database. Java writes times of its own
 * clock into this table, and reads ours. So a row ends later for others than for its holder, and is taken over later
 * still.
 */
export const CLOCK_DIFFERENCE_MS = 2_000;

/**
 * The statements. Their times are those of the database in UTC, as Java writes them. Each comment lists the parameters
 * in order, then the columns of the answer.
 */
export interface TableLockStatements {
  /**
   * PostgreSQL only. Key, region, client, lease, limit: the fence if it was granted, what remained of the earlier
   * holder's lease, the time.
   */
  readonly acquire: string;
  /** Key, region: client, remaining milliseconds, microseconds. No row if the lock is free. */
  readonly read: string;
  /** Key, region, client, lease, limit: inserts a row if there is none. */
  readonly insert: string;
  /** Client, lease, key, region, client, limit: takes over a row that has ended, or that is this client's. */
  readonly take: string;
  /** Lease, key, region, client. */
  readonly renew: string;
  /** Key, region, client. */
  readonly release: string;
  /** No parameters: the time of the database in microseconds. */
  readonly microseconds: string;
}

export function tableName({ engine, schema, prefix }: SpringTable): string {
  // Java does not quote the name, so PostgreSQL folds it to lower case.
  const name = engine === 'postgres' ? `${prefix}LOCK`.toLowerCase() : `${prefix}LOCK`;
  const quoted = engine === 'postgres' ? quotedName : backquotedName;
  return schema === undefined ? quoted(name) : `${quoted(schema)}.${quoted(name)}`;
}

export function tableLockStatements(spring: SpringTable): TableLockStatements {
  return spring.engine === 'postgres' ? postgresStatements(spring) : mysqlStatements(spring);
}

function postgresStatements(spring: SpringTable): TableLockStatements {
  const table = tableName(spring);
  const seven = spring.layout === 7;
  const now = `(clock_timestamp() at time zone 'utc')`;
  const ms = (parameter: string) => `${parameter}::float8 * interval '1 ms'`;
  const late = ms(String(CLOCK_DIFFERENCE_MS));
  const ttl = ms(String(spring.ttlMs));
  const columns = seven
    ? 'lock_key, region, client_id, created_date, expired_after'
    : 'lock_key, region, client_id, created_date';
  const end = (of: string) => (seven ? `${of}expired_after` : `(${of}created_date + ${ttl})`);
  const times = (lease: string) =>
    seven ? `${now}, ${now} + ${ms(lease)} + ${late}` : `${now} + ${ms(lease)} + ${late} - ${ttl}`;
  const set = seven
    ? 'created_date = excluded.created_date, expired_after = excluded.expired_after'
    : 'created_date = excluded.created_date';
  const longer = (lease: string) =>
    seven
      ? `expired_after = greatest(expired_after, ${now} + ${ms(lease)} + ${late})`
      : `created_date = greatest(created_date, ${now} + ${ms(lease)} + ${late} - ${ttl})`;
  return {
    // Renewals and releases answer with a row, because a query function need not tell how many rows a statement has changed.
    acquire: `with cur as materialized (select client_id, ${end('')} as ends from ${table} where lock_key = $1 and region = $2),
got as (
  insert into ${table} as l (${columns})
  select $1, $2, $3, ${times('$4')}
   where not exists (select from cur where client_id <> $3 and ends + ${late} >= ${now})
     and ${POSTGRES_MICROSECONDS} <= $5::bigint
  on conflict (lock_key, region) do update set client_id = excluded.client_id, ${set}
   where l.client_id = excluded.client_id or ${end('l.')} + ${late} < ${now}
  returning ${POSTGRES_MICROSECONDS} as fence)
select got.fence, extract(epoch from cur.ends - ${now}) * 1000, ${POSTGRES_MICROSECONDS}
  from (select 1) as one left join got on true left join cur on true`,
    read: `select client_id, extract(epoch from ${end('')} - ${now}) * 1000, ${POSTGRES_MICROSECONDS} from ${table} where lock_key = $1 and region = $2`,
    insert: '',
    take: '',
    renew: `update ${table} set ${longer('$1')} where lock_key = $2 and region = $3 and client_id = $4 returning 1 as done`,
    release: `delete from ${table} where lock_key = $1 and region = $2 and client_id = $3 returning 1 as done`,
    microseconds: `select ${POSTGRES_MICROSECONDS}`,
  };
}

function mysqlStatements(spring: SpringTable): TableLockStatements {
  const table = tableName(spring);
  const seven = spring.layout === 7;
  const now = 'utc_timestamp(6)';
  const late = `interval ${CLOCK_DIFFERENCE_MS * 1000} microsecond`;
  const ttl = `interval ${spring.ttlMs * 1000} microsecond`;
  const later = `${now} + interval (? * 1000) microsecond + ${late}`;
  const columns = seven
    ? 'LOCK_KEY, REGION, CLIENT_ID, EXPIRED_AFTER, CREATED_DATE'
    : 'LOCK_KEY, REGION, CLIENT_ID, CREATED_DATE';
  const end = seven ? 'EXPIRED_AFTER' : `(CREATED_DATE + ${ttl})`;
  const times = seven ? `${later}, ${now}` : `${later} - ${ttl}`;
  const set = seven ? `EXPIRED_AFTER = ${later}, CREATED_DATE = ${now}` : `CREATED_DATE = ${later} - ${ttl}`;
  const longer = seven
    ? `EXPIRED_AFTER = greatest(EXPIRED_AFTER, ${later})`
    : `CREATED_DATE = greatest(CREATED_DATE, ${later} - ${ttl})`;
  return {
    acquire: '',
    read: `select CLIENT_ID, timestampdiff(microsecond, ${now}, ${end}) / 1000, ${MYSQL_MICROSECONDS}, ${COMMITS} from ${table} where LOCK_KEY = ? and REGION = ?`,
    insert: `insert ignore into ${table} (${columns}) select ?, ?, ?, ${times} from (select 1) as one where ${MYSQL_MICROSECONDS} <= ? and ${COMMITS}`,
    take: `update ${table} set CLIENT_ID = ?, ${set} where LOCK_KEY = ? and REGION = ? and (CLIENT_ID = ? or ${end} + ${late} < ${now}) and ${MYSQL_MICROSECONDS} <= ? and ${COMMITS}`,
    renew: `update ${table} set ${longer} where LOCK_KEY = ? and REGION = ? and CLIENT_ID = ? and ${COMMITS}`,
    release: `delete from ${table} where LOCK_KEY = ? and REGION = ? and CLIENT_ID = ? and ${COMMITS}`,
    microseconds: `select ${MYSQL_MICROSECONDS}, ${COMMITS}`,
  };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * The key of a lock in Spring's table: the name itself if it is a UUID, else the UUID that Java's `nameUUIDFromBytes`
 * derives from it.
 */
export function springLockKey(name: string): string {
  if (UUID.test(name)) return name.toLowerCase();
  const bytes = createHash('md5').update(name, 'utf8').digest();
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x30, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return uuidOf(bytes.toString('hex'));
}

/** 32 hexadecimal digits as Java writes them. */
export function uuidOf(digits: string): string {
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
