import type { EngineOptions } from '../../spi/synchronizers.ts';
import { argumentRangeError, argumentTypeError } from '../../spi/errors.ts';
import type { TableNames } from './dialects/dialect.ts';

/** What can be set on every SQL engine. */
export interface SqlSettings extends EngineOptions {
  /** Goes before the names of our tables: `holdfast_` without it. */
  readonly tablePrefix?: string;
  /** How long an answer is waited for before the question is asked again; after twice this time the outcome is unknown. 3 seconds without it. */
  readonly commandTimeoutMs?: number;
  /** How long the last fence of a name is kept after its last use: 7 days without it, `Infinity`: without end. */
  readonly fenceRetentionMs?: number;
}

/** For engines whose databases have several schemas. */
export interface SchemaSetting {
  /** The schema (in MySQL: the database) that our tables are in: that of the connection without it. */
  readonly schema?: string;
}

/** For engines in which those who wait may have to look by themselves. */
export interface PollSetting {
  /**
   * How often waiters look where the store sends no messages (MySQL; PostgreSQL behind a pooler), give or take a half. 50 or 60
   * milliseconds without it.
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
/** With what we put behind it, a name of a table that every database takes. */
const LONGEST_PREFIX = 40;

export interface CheckedSqlSettings {
  readonly commandTimeoutMs: number;
  readonly retentionMs: number;
  readonly tables: TableNames;
}

/** The settings with what was left out filled in. */
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

/** Any name goes, since it is quoted; but not one that a database would cut off. */
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
