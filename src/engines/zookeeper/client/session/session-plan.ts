import type { ConnectionOptions } from 'node:tls';
import type { Clock, Random } from '../../../../spi/clock.ts';
import type { Operation } from '../protocol/operation.ts';
import type { ServerEventType } from '../protocol/watch-event.ts';
import type { Credentials } from './present-credentials.ts';
import type { ZooKeeperServer } from './server-list.ts';
import type { SessionStatus } from './session-status.ts';

/** The settings and the callbacks of a session. */
export interface SessionPlan extends Credentials {
  readonly clock: Clock;
  readonly random: Random;
  readonly servers: readonly ZooKeeperServer[];
  readonly sessionMs: number;
  /** How long the first connection may take, over all servers. */
  readonly connectMs: number;
  readonly tls: ConnectionOptions | undefined;
  readonly maxRequestBytes: number;
  readonly maxReplyBytes: number;
  readonly onStatus: (status: SessionStatus) => void;
  readonly onEvent: (type: ServerEventType, path: string) => void;
  /** The requests that set all watches again, for a new connection. */
  readonly watchRequests: (sinceZxid: bigint) => readonly Operation<void>[];
}
