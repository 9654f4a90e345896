import { RefusedError } from '../../core/failures/refused-error.ts';
import { EngineError, type ErrorSubject } from '../../spi/errors.ts';
import type { SqlFailure } from './sql-client.ts';
import { isError } from '../../spi/is-error.ts';

/** What to call each database in an error. */
const NAMES = { sqlite: 'SQLite', postgres: 'PostgreSQL', mysql: 'the database' } as const;

/** Failures that may be over later. */
const MAY_PASS: ReadonlySet<SqlFailure> = new Set(['full', 'read-only', 'again']);

/** The error for a statement that would fail again: what happened, and what to do. */
export function refused(
  engine: keyof typeof NAMES,
  failure: SqlFailure,
  error: unknown,
  explanation: string | undefined,
  subject: ErrorSubject,
): EngineError {
  const said = isError(error) ? error.message : String(error);
  const text = explanation ?? `${NAMES[engine]} ${sentenceOf(engine, failure, said)}`;
  const options = { cause: error, retryable: MAY_PASS.has(failure) };
  return new RefusedError(`${subject.resource}: ${text}`, subject, options);
}

function sentenceOf(engine: keyof typeof NAMES, failure: SqlFailure, said: string): string {
  if (failure === 'denied')
    return `does not permit it (${said}). The user needs to read and write the tables of Holdfast, on a server or in a file that can be written to; schemaSql('${engine}') has the statements that create them.`;
  if (failure === 'read-only')
    return `takes no writes (${said}): the server is a standby or a replica, or was made read-only. Nothing was done. Give the address of the primary; after a failover, try again.`;
  return `refused the statement: ${said}`;
}

/**
 * The connection commits nothing by itself: no other client would see a grant, and the database would give it out
 * twice.
 */
export function uncommitted(subject: ErrorSubject): EngineError {
  return new RefusedError(
    `${subject.resource}: the connection has autocommit = 0, so that the database would not commit what Holdfast writes, and would give the same lock to another client. Nothing was done. Pass a pool whose connections have autocommit = 1: a hook of the pool, init_connect or a proxy turns it off.`,
    subject,
    { retryable: false },
  );
}

/** The tables do not exist, and could not be created. */
export function noSchema(engine: keyof typeof NAMES, error: unknown, subject: ErrorSubject): EngineError {
  const said = isError(error) ? error.message : String(error);
  return new EngineError(
    `${subject.resource}: the tables of Holdfast are missing, and ${NAMES[engine]} refused to create them (${said}). Create them with the statements that schemaSql('${engine}') gives.`,
    subject,
    { cause: error, retryable: false },
  );
}

/** The tables belong to a later release than this one: their contents may mean something else. */
export function newerSchema(found: number, known: number, subject: ErrorSubject): EngineError {
  return new EngineError(
    `${subject.resource}: our tables have version ${found}, and this release of holdfast knows version ${known}. Update holdfast here, or use another table prefix or file.`,
    subject,
    { retryable: false },
  );
}
