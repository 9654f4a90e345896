import type { EngineOptions } from '../../spi/synchronizers.ts';
import { argumentRangeError, argumentTypeError } from '../../spi/errors.ts';
import type { TableNames } from './dialects/dialect.ts';

/** The options of every SQL engine. */
export interface SqlSettings extends EngineOptions {
  /** Goes before the names of our tables: `holdfast_` by default. */
  readonly tablePrefix?: string;
  /**
   * How long to wait for an answer before the request is sent again; after twice this time its outcome is unknown. 3
   * seconds by default.
   */
  readonly commandTimeoutMs?: number;
  /** How long the last fence of a name is kept after its last use: 7 days by default, `Infinity` for no end. */
  readonly fenceRetentionMs?: number;
}

/** For engines whose databases have several schemas. */
export interface SchemaSetting {
  /** The schema (in MySQL: the database) of our tables: that of the connection by default. */
  readonly schema?: string;
}

/** For engines whose waiters may have to poll. */
export interface PollSetting {
  /**
   * How often waiters poll where the store sends no messages (MySQL; PostgreSQL behind a pooler), give or take a half:
   * 50 or 60 milliseconds by default.
   */
  readonly pollMs?: number;
}

export const SQL_OPTIONS: readonly (keyof Omit<SqlSettings, keyof EngineOptions>)[] = [
  'tablePrefix',
  'commandTimeoutMs',
  'fenceRetentionMs',
];

const DAY_MS = 24 * 60 * 60 * 1000;
const LONGEST_MS = 10 * 365 * DAY_MS;
/** Short enough that every database takes the name of a table that begins with it. */
const LONGEST_PREFIX = 40;

export interface CheckedSqlSettings {
  readonly commandTimeoutMs: number;
  readonly retentionMs: number;
  readonly tables: TableNames;
}

/** The settings with their defaults filled in. */
export function checkedSqlSettings(options: SqlSettings & SchemaSetting, engine: string): CheckedSqlSettings {
  const { fenceRetentionMs = 7 * DAY_MS } = options;
  return {
    commandTimeoutMs: milliseconds(options.commandTimeoutMs ?? 3000, 'commandTimeoutMs', 10, 600_000, engine),
    retentionMs:
      fenceRetentionMs === Infinity
        ? Infinity
        : milliseconds(fenceRetentionMs, 'fenceRetentionMs', 1000, LONGEST_MS, engine),
    tables: checkedTableNames(options, engine),
  };
}

export function checkedPollMs({ pollMs }: PollSetting, usualMs: number, engine: string): number {
  return milliseconds(pollMs ?? usualMs, 'pollMs', 5, 600_000, engine);
}

export function checkedTableNames(
  { tablePrefix = 'holdfast_', schema }: { readonly tablePrefix?: string; readonly schema?: string },
  engine: string,
): TableNames {
  checkIdentifier(tablePrefix, 'tablePrefix', engine);
  if (schema !== undefined) checkIdentifier(schema, 'schema', engine);
  return { tablePrefix, schema };
}

/** Any name will do, since it is quoted, but not one that a database would truncate. */
function checkIdentifier(value: unknown, name: string, engine: string): void {
  const isGood =
    typeof value === 'string' &&
    value !== '' &&
    Buffer.byteLength(value) <= LONGEST_PREFIX &&
    !/[\p{Cs}\p{Cc}]/u.test(value);
  if (isGood) return;
  throw argumentTypeError(
    `${engine}(): ${name} must be a string of 1 to ${LONGEST_PREFIX} bytes without control characters.`,
    { resource: `${engine}()`, engine },
  );
}

function milliseconds(value: unknown, name: string, least: number, most: number, engine: string): number {
  const subject = { resource: `${engine}()`, engine };
  if (typeof value !== 'number' || Number.isNaN(value))
    throw argumentTypeError(`${engine}(): ${name} must be a number.`, subject);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw argumentRangeError(
    `${engine}(): ${name} must be a whole number from ${least} to ${most}, not ${value}.`,
    subject,
  );
}
