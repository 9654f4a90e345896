import { EngineError, type ErrorSubject } from '../../spi/errors.ts';
import { ZooKeeperError, type ZooKeeperErrorCode } from './client/protocol/zookeeper-error.ts';

/** The request may have been carried out, or another one may be: on the next connection, or in the next session. */
const passing: ReadonlySet<ZooKeeperErrorCode> = new Set([
  'CONNECTION_LOSS',
  'OPERATION_TIMEOUT',
  'REQUEST_TIMEOUT',
  'SESSION_EXPIRED',
  'SESSION_MOVED',
  'THROTTLED',
  'CLOSED',
]);

/** Whether the same request may work later, and may have been carried out. */
export function isPassing({ code }: ZooKeeperError): boolean {
  return passing.has(code);
}

export function hasCode(error: unknown, code: ZooKeeperErrorCode): boolean {
  return error instanceof ZooKeeperError && error.code === code;
}

/** The caller's error for an error of ZooKeeper: what failed, and whether to try again. */
export function explainError(error: unknown, subject: ErrorSubject): unknown {
  if (!(error instanceof ZooKeeperError)) return error;
  return new EngineError(`${subject.resource}: ${error.message}${adviceFor(error.code)}`, subject, {
    retryable: isPassing(error),
    cause: error,
  });
}

function adviceFor(code: ZooKeeperErrorCode): string {
  if (code === 'NO_AUTH')
    return '. The access list of the node does not permit it: give this client the credentials of the others (`auth`), and let all of them read, create and delete.';
  if (code === 'NO_NODE') return '. Create the chroot of the address first.';
  return '';
}
