import type { SqlFailure } from '../../sql/sql-client.ts';
import { findWriteLockHolder } from './write-lock-holder.ts';
import { isError } from '../../../spi/is-error.ts';

/** The result codes of SQLite that matter here; extended codes have these in their lowest byte. */
const CODES: Readonly<Record<string, number>> = {
  SQLITE_ERROR: 1,
  SQLITE_PERM: 3,
  SQLITE_BUSY: 5,
  SQLITE_LOCKED: 6,
  SQLITE_READONLY: 8,
  SQLITE_IOERR: 10,
  SQLITE_CORRUPT: 11,
  SQLITE_FULL: 13,
  SQLITE_CANTOPEN: 14,
  SQLITE_PROTOCOL: 15,
  SQLITE_AUTH: 23,
  SQLITE_NOTADB: 26,
};

/** The file was moved or deleted under us. */
const MOVED = 1032;

const FAILURES: ReadonlyMap<number, SqlFailure> = new Map([
  [CODES['SQLITE_BUSY']!, 'again'],
  [CODES['SQLITE_LOCKED']!, 'again'],
  [CODES['SQLITE_PROTOCOL']!, 'again'],
  [CODES['SQLITE_PERM']!, 'denied'],
  [CODES['SQLITE_READONLY']!, 'denied'],
  [CODES['SQLITE_CANTOPEN']!, 'denied'],
  [CODES['SQLITE_AUTH']!, 'denied'],
  [CODES['SQLITE_FULL']!, 'full'],
  [CODES['SQLITE_IOERR']!, 'full'],
]);

/** libsql puts the code at the end of its message when it cannot open a file. */
const CODE_AT_END = /: (\d+)"?\)?$/;

/** The result code, wherever the driver puts it; 0 for an error that is not SQLite's. */
function codeOf(error: unknown): number {
  if (!isError(error)) return 0;
  if ('errcode' in error) return Number(error.errcode);
  if ('rawCode' in error && typeof error.rawCode === 'number') return error.rawCode;
  // The file system's own: the file cannot be looked at.
  if ('syscall' in error) return CODES['SQLITE_CANTOPEN']!;
  const code = 'code' in error ? String(error.code) : '';
  const known = Object.keys(CODES).find((name) => code === name || code.startsWith(`${name}_`));
  if (known !== undefined) return CODES[known]!;
  return Number(CODE_AT_END.exec(error.message)?.[1] ?? 0);
}

export function sqliteFailure(error: unknown): SqlFailure {
  const code = codeOf(error);
  if (code === MOVED) return 'again';
  if (isError(error) && /no such table/.test(error.message)) return 'missing';
  return FAILURES.get(code & 0xff) ?? 'final';
}

/** What happened and what to do, where more is known than the message says. */
export function explainSqlite(error: unknown, file: string): string | undefined {
  const said = isError(error) ? error.message : String(error);
  switch (codeOf(error) & 0xff) {
    case CODES['SQLITE_BUSY']:
      return explainStopped(file);
    case CODES['SQLITE_FULL']:
    case CODES['SQLITE_IOERR']:
      return `${file} could not be written: is the disk full? (${said}) Nothing was done; make room, then try again.`;
    case CODES['SQLITE_CORRUPT']:
    case CODES['SQLITE_NOTADB']:
      return `${file} is not a database, or is damaged (${said}). It was left as it is. If it holds nothing but locks, stop all programs that use it and delete it.`;
    case CODES['SQLITE_READONLY']:
      return `${file} cannot be written to (${said}). The file and its folder must be writable for all programs that use it.`;
    case CODES['SQLITE_CANTOPEN']:
    case CODES['SQLITE_PERM']:
      return `${file} cannot be opened (${said}). Its folder must be there, and be writable for all programs that use it.`;
    default:
      return undefined;
  }
}

/** A writer that is only slow needs no explanation: waiting is right. */
function explainStopped(file: string): string | undefined {
  const holder = findWriteLockHolder(file);
  if (holder?.isStopped !== true) return undefined;
  return `process ${holder.pid} was stopped in the middle of a write and holds the write lock of ${file}: no other process can write to it, whatever the name. Nothing was done. Let it go on (kill -CONT ${holder.pid}) or end it, then try again.`;
}

export function isBusy(error: unknown): boolean {
  return (codeOf(error) & 0xff) === CODES['SQLITE_BUSY'];
}
