import {
  SessionLiveness,
  type SessionLivenessPlan,
  type SessionNews,
} from '../../kernels/session-liveness.ts';
import type { GrantedSession } from './client/session/session-status.ts';
import type { ZooKeeperClient } from './client/zookeeper-client.ts';
import { explainError } from './explain-error.ts';

/**
 * The session of one engine object: a client of ZooKeeper, and the next one when its session has ended. An answer is no proof by
 * itself: the send time that it reports is that of the request which the client has proven to count (decision 27).
 */
export class ZooKeeperLiveness extends SessionLiveness<ZooKeeperClient, GrantedSession> {
  /** Called when the connection was broken and the session goes on: events may have been missed meanwhile. */
  readonly whenResumed = new Set<() => void>();
  /** The client whose connection is broken: the next one of another session has missed nothing. */
  #suspended: ZooKeeperClient | undefined;

  constructor(plan: SessionLivenessPlan<ZooKeeperClient, GrantedSession>) {
    super(plan, {
      noSession: 'there is no session with ZooKeeper. Try again.',
      sessionOf: ({ session }) => session && { name: sessionName(session.id), timeoutMs: session.grantedMs },
      explain: explainError,
    });
  }

  protected override handleNews(news: SessionNews, client: ZooKeeperClient): void {
    const isResumed = news.state === 'connected' && this.#suspended === client;
    this.#suspended = news.state === 'suspended' ? client : undefined;
    super.handleNews(news, client);
    if (isResumed) for (const call of this.whenResumed) call();
  }
}

/** As ZooKeeper's own tools write it. */
export function sessionName(id: bigint): string {
  return `0x${BigInt.asUintN(64, id).toString(16)}`;
}
