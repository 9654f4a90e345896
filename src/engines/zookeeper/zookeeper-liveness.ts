import type { Liveness, LivenessNews } from '../../spi/engine/liveness.ts';
import { EngineError, type ErrorSubject } from '../../spi/errors.ts';
import type { MaybeAsync } from '../../spi/maybe-async.ts';
import type { GrantedSession, SessionStatus } from './client/session/session-status.ts';
import type { ZooKeeperClient } from './client/zookeeper-client.ts';
import { explainError } from './explain-error.ts';

export interface ZooKeeperLivenessPlan {
  /** A client is one session: another session needs another client. */
  readonly connect: () => ZooKeeperClient;
  readonly subject: ErrorSubject;
  /** Called with each new session. */
  readonly onGranted: (granted: GrantedSession) => void;
}

/** The session of one engine object: a client of ZooKeeper, and the next one when its session has ended. */
export class ZooKeeperLiveness implements Liveness {
  readonly #plan: ZooKeeperLivenessPlan;
  #heard: (news: LivenessNews) => void = () => undefined;
  #client: ZooKeeperClient | undefined;
  #opening: Promise<void> | undefined;
  #isSuspended = false;
  #isClosed = false;
  /** Called when the connection was broken and the session goes on: events may have been missed meanwhile. */
  readonly whenResumed = new Set<() => void>();

  constructor(plan: ZooKeeperLivenessPlan) {
    this.#plan = plan;
  }

  follow(heard: (news: LivenessNews) => void): void {
    this.#heard = heard;
  }

  /** The client of the session that is open. */
  client(subject: ErrorSubject): ZooKeeperClient {
    if (this.#client !== undefined) return this.#client;
    throw new EngineError(`${subject.resource}: there is no session with ZooKeeper. Try again.`, subject, {
      retryable: true,
    });
  }

  /** The name of the session that is open. */
  get session(): string | undefined {
    const id = this.#client?.session?.id;
    return id === undefined ? undefined : sessionName(id);
  }

  open(): MaybeAsync<void> {
    return (this.#opening ??= this.#open());
  }

  abandon(): void {
    void this.#drop()?.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#drop()?.close();
  }

  async #open(): Promise<void> {
    const client = this.#plan.connect();
    this.#client = client;
    client.onStatus((status) => {
      if (this.#client === client) this.#handleStatus(client, status);
    });
    try {
      const granted = await client.ready();
      if (this.#client === client) this.#plan.onGranted(granted);
    } catch (error) {
      if (this.#client === client) this.#drop();
      void client.close();
      throw explainError(error, this.#plan.subject);
    }
  }

  #drop(): ZooKeeperClient | undefined {
    const client = this.#client;
    this.#client = undefined;
    this.#opening = undefined;
    this.#isSuspended = false;
    return client;
  }

  #handleStatus(client: ZooKeeperClient, status: SessionStatus): void {
    if (status.state === 'lost') {
      this.#drop();
      if (!this.#isClosed) this.#heard({ kind: 'lost' });
    } else if (status.state === 'suspended') {
      this.#isSuspended = true;
      this.#heard({ kind: 'suspended', error: status.cause });
    } else if (status.state === 'connected') this.#recordProof(client.session!, status.provenAt);
  }

  /** An answer is no proof by itself: the send time is that of the request which the client has proven to count (decision 27). */
  #recordProof({ id, grantedMs: timeoutMs }: GrantedSession, sentAt: number): void {
    this.#heard({ kind: 'connected', session: sessionName(id), sentAt, timeoutMs });
    if (!this.#isSuspended) return;
    this.#isSuspended = false;
    for (const call of this.whenResumed) call();
  }
}

/** As ZooKeeper's own tools write it. */
export function sessionName(id: bigint): string {
  return `0x${BigInt.asUintN(64, id).toString(16)}`;
}
