import { checkLeaseMs, checkName, checkOptions, shown, subjectOf } from '../../../../core/arguments.ts';
import { createUnfencedLock } from '../../../../synchronizers/lock/plain-lock.ts';
import type { Protocols } from '../../../../spi/engine/protocols.ts';
import { argumentTypeError } from '../../../../spi/errors.ts';
import type { Lock } from '../../../../spi/synchronizers.ts';
import type { NativeParts } from '../native-parts.ts';
import { tableLockProtocol } from './table-lock-protocol.ts';

/** Which table of Spring Integration a lock is in. */
export interface TableLockOptions {
  /** The major version of Spring Integration that created the table: 7 by default, or 6 for all before. */
  readonly layout?: 7 | 6;
  /** As in Java: `DEFAULT` by default. */
  readonly region?: string;
  /** What goes before `LOCK` in the name of the table: `INT_` by default, as in Java. */
  readonly prefix?: string;
  /** The schema of the table, or in MySQL the database: that of the connection by default. */
  readonly schema?: string;
  /**
   * The lease of renewed holds, which Java calls `timeToLive`: 10 seconds by default, as there. In layout 6 all
   * programs that use the table must set the same.
   */
  readonly renewalLeaseMs?: number;
}

/** A lock in the table that Spring Integration's `JdbcLockRegistry` uses. */
export type TableLockFactory = (name: string, options?: TableLockOptions) => Lock;

const kind = 'tableLock';
const OPTIONS: readonly (keyof TableLockOptions)[] = [
  'layout',
  'region',
  'prefix',
  'schema',
  'renewalLeaseMs',
];
const USUAL_LEASE_MS = 10_000;
const LONGEST_REGION = 100;

export function tableLocks(parts: NativeParts, engine: 'postgres' | 'mysql'): TableLockFactory {
  const { client } = parts;
  const protocols = new Map<string, Protocols['lock']>();

  return (name, options = {}) => {
    checkName(name, kind, client.label);
    const subject = subjectOf(kind, name, client.label);
    checkOptions(options, OPTIONS, subject);
    const {
      layout = 7,
      region = 'DEFAULT',
      prefix = 'INT_',
      schema,
      renewalLeaseMs = USUAL_LEASE_MS,
    } = options;
    if (layout !== 7 && layout !== 6) {
      throw argumentTypeError(`${subject.resource}: layout must be 7 or 6, not ${shown(layout)}.`, subject);
    }
    for (const [what, text] of Object.entries({ region, prefix, schema: schema ?? '' })) {
      if (typeof text !== 'string' || text.includes('\0') || text.length > LONGEST_REGION) {
        throw argumentTypeError(
          `${subject.resource}: ${what} must be a text of at most ${LONGEST_REGION} characters.`,
          subject,
        );
      }
    }
    checkLeaseMs(renewalLeaseMs, 'renewalLeaseMs', subject);
    const key = JSON.stringify([layout, region, prefix, schema, layout === 6 ? renewalLeaseMs : 0]);
    const table = { engine, schema, prefix, layout, ttlMs: renewalLeaseMs };
    const protocol = protocols.get(key) ?? tableLockProtocol(parts, table, region);
    protocols.set(key, protocol);
    return createUnfencedLock(client, protocol, name, { kind, renewalLeaseMs, family: `${kind}${key}` });
  };
}
