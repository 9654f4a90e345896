import type { ConnectResponse } from '../protocol/handshake.ts';
import { ZooKeeperError } from '../protocol/zookeeper-error.ts';
import type { GrantedSession } from './session-status.ts';

/** The error of a request that was never sent: it was certainly not carried out. */
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

/** The error of a session that no server granted, or proved alive, in time. `cause` is the last failed connection. */
export function overdueError(
  granted: GrantedSession | undefined,
  connectMs: number,
  cause: Error,
): ZooKeeperError {
  if (granted) {
    const message = `the session of ${granted.grantedMs} ms may have ended: no server proved in time that it goes on`;
    return new ZooKeeperError('SESSION_EXPIRED', message, { cause });
  }
  const message = `no server granted a session within ${connectMs} ms; the last one tried was ${cause.message}`;
  return new ZooKeeperError('CONNECTION_LOSS', message, { cause });
}

/** The reason why a handshake ends the session, if it does. */
export function refusalIn(
  { timeoutMs, sessionId }: ConnectResponse,
  granted: GrantedSession | undefined,
): ZooKeeperError | undefined {
  if (timeoutMs <= 0) return new ZooKeeperError('SESSION_EXPIRED', 'the server has ended the session');
  if (granted === undefined || granted.id === sessionId) return undefined;
  return new ZooKeeperError('SESSION_EXPIRED', 'the server knows the session under another number');
}
