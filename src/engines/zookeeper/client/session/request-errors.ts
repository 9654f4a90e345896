import { ZooKeeperError } from '../protocol/zookeeper-error.ts';

/** Of a request that was never sent: it has certainly not been carried out. */
export function endedError(what: string, cause: Error): ZooKeeperError {
  const code = cause instanceof ZooKeeperError ? cause.code : 'SESSION_EXPIRED';
  return new ZooKeeperError(code, `${what}: ${cause.message}`, { cause });
}

export function closedError(): ZooKeeperError {
  return new ZooKeeperError('CLOSED', 'the client was closed');
}

export function tooLarge(what: string, bytes: number, maxRequestBytes: number): ZooKeeperError {
  const message = `${what}: a request of ${bytes} bytes, where servers accept ${maxRequestBytes} (jute.maxbuffer)`;
  return new ZooKeeperError('BAD_ARGUMENTS', message);
}
