import { StoreFullError } from '../../core/failures/store-full-error.ts';
import { EngineError, type ErrorSubject } from '../../spi/errors.ts';
import { EtcdError, type EtcdErrorCode } from './client/transport/etcd-error.ts';

/** The call may have been carried out, or another one may be: on the next connection, or by the next leader. */
const PASSING: ReadonlySet<EtcdErrorCode> = new Set([
  'CANCELLED',
  'UNKNOWN',
  'DEADLINE_EXCEEDED',
  'ABORTED',
  'INTERNAL',
  'UNAVAILABLE',
  'CONNECTION_LOST',
  'NOT_SENT',
  'CLOSED',
]);

/** Whether the same call may work later, and may have been carried out. */
export function isPassing({ code, message }: EtcdError): boolean {
  if (code === 'RESOURCE_EXHAUSTED') return !message.includes(NO_SPACE);
  return PASSING.has(code);
}

const NO_SPACE = 'database space exceeded';

/**
 * The database has no room for what a call was to put; it deletes and reads as before. Whether it has put it is another question: a member
 * whose database crosses its quota answers this to calls that it has carried out, and refuses the next ones.
 */
export function isFull(error: unknown): error is EtcdError {
  return error instanceof EtcdError && error.message.includes(NO_SPACE);
}

/** The server does not know the lease: it has ended, and all that was bound to it. */
export function isLeaseGone(error: unknown): boolean {
  return error instanceof EtcdError && error.code === 'NOT_FOUND' && error.message.includes('lease');
}

/** The caller's error for an error of etcd: what failed, and whether to try again. */
export function explainEtcdError(error: unknown, subject: ErrorSubject): unknown {
  if (!(error instanceof EtcdError)) return error;
  if (error.message.includes(NO_SPACE)) return fullError(error, subject);
  return new EngineError(`${subject.resource}: ${error.message}${adviceFor(error)}`, subject, {
    retryable: isPassing(error),
    cause: error,
  });
}

function adviceFor({ code, message }: EtcdError): string {
  if (code === 'PERMISSION_DENIED')
    return '. Grant the role of this user to read and write all keys that begin with the name, and those that begin with "/holdfast/".';
  if (message.includes('user name is empty')) return '. Give the engine a user and a password.';
  return '';
}

function fullError(cause: EtcdError, subject: ErrorSubject): StoreFullError {
  return new StoreFullError(
    `${subject.resource}: the database of etcd has reached its quota and takes nothing new (${cause.message}). Locks that are held stay and can be released; compact and defragment the database and disarm the alarm NOSPACE, then try again.`,
    subject,
    cause,
  );
}
