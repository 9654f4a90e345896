import type { ConnectResponse } from '../protocol/handshake.ts';
import { ZooKeeperError } from '../protocol/zookeeper-error.ts';
import type { GrantedSession } from './session-status.ts';

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

/** Of a session that no server granted, or proved to go on, in time. `cause` is the last connection that failed. */
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

/** Why a handshake is the end of the session, if it is. */
export function refusalIn(
  { timeoutMs, sessionId }: ConnectResponse,
  granted: GrantedSession | undefined,
): ZooKeeperError | undefined {
  if (timeoutMs <= 0) return new ZooKeeperError('SESSION_EXPIRED', 'the server has ended the session');
  if (granted === undefined || granted.id === sessionId) return undefined;
  return new ZooKeeperError('SESSION_EXPIRED', 'the server knows the session under another number');
}
