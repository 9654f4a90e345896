import { TimerQueue } from '../../../../core/time/timer-queue.ts';
import { connectFrame, type ConnectResponse, PASSWORD_BYTES } from '../protocol/handshake.ts';
import { encodeRequest, type Operation } from '../protocol/operation.ts';
import { closeSession } from '../protocol/session-operations.ts';
import { Alarm } from './alarm.ts';
import { callListener } from './call-listener.ts';
import { Dialer } from './dialer.ts';
import { presentCredentials } from './present-credentials.ts';
import { type OutgoingRequest, reservedXid, ServerConnection } from './server-connection.ts';
import { closedError, endedError, overdueError, refusalIn, tooLarge } from './request-errors.ts';
import { settleBy } from './settle-by.ts';
import { ServerList, type ZooKeeperServer } from './server-list.ts';
import { SessionHeartbeat } from './session-heartbeat.ts';
import type { SessionPlan } from './session-plan.ts';
import { SessionProof } from './session-proof.ts';
import type { GrantedSession, SessionStatus } from './session-status.ts';
import { WaitingCallers } from './waiting-callers.ts';

/** How long `close` waits for the server. A silent server ends the session by its own time-out. */
const CLOSE_LIMIT_MS = 2_000;
const LENGTH_BYTES = 4;

/**
 * One session over any number of connections, one at a time. A request without a connection waits for the next one; requests
 * in flight when a connection ends fail with `CONNECTION_LOSS`, because the server may have carried them out.
 */
export class ZooKeeperSession {
  readonly #plan: SessionPlan;
  readonly #timers: TimerQueue;
  readonly #dialer: Dialer;
  readonly #proof = new SessionProof();
  readonly #callers: WaitingCallers;
  readonly #deadline: Alarm;
  readonly #attempt: Alarm;
  readonly #unsent: OutgoingRequest[] = [];
  #status: SessionStatus = { state: 'connecting' };
  #granted: GrantedSession | undefined;
  #password: Uint8Array = Buffer.alloc(PASSWORD_BYTES);
  #lastZxid = 0n;
  #connection: ServerConnection | undefined;
  #heartbeat: SessionHeartbeat | undefined;
  #failure: Error = new Error('no server was tried');
  #closed: Promise<void> | undefined;

  constructor(plan: SessionPlan) {
    const { clock, random, sessionMs, connectMs, servers } = plan;
    this.#plan = plan;
    this.#timers = new TimerQueue(clock);
    this.#callers = new WaitingCallers(clock, this.#timers);
    this.#deadline = new Alarm(this.#timers, () =>
      this.#lose(overdueError(this.#granted, connectMs, this.#failure)),
    );
    this.#attempt = new Alarm(this.#timers, () => {
      this.#connection?.destroy(new Error('the server did not answer the handshake in time'));
    });
    const list = new ServerList(servers, random);
    this.#dialer = new Dialer({ clock, random, timers: this.#timers }, list, (server) => this.#dial(server));
    this.#deadline.set(clock.now() + connectMs);
    this.#dialer.next(sessionMs);
  }

  /** Compares with the clock first. The race: after a stall of the event loop, a caller may run before the alarm of the deadline. */
  get status(): SessionStatus {
    const { state } = this.#status;
    const isPast =
      state !== 'connecting' && state !== 'lost' && this.#plan.clock.now() >= this.#proof.deadline;
    if (isPast) this.#lose(overdueError(this.#granted, this.#plan.connectMs, this.#failure));
    return this.#status;
  }

  get granted(): GrantedSession | undefined {
    return this.#granted;
  }

  /**
   * Sends a request now, or with the next connection. Calls `onReply` with the outcome before it reads anything behind the reply:
   * a watch that is registered there misses no event.
   */
  request<T>(operation: Operation<T>, onReply?: (error: Error | undefined) => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const frame = encodeRequest(operation);
      const bytes = frame.length - LENGTH_BYTES;
      if (bytes > this.#plan.maxRequestBytes)
        return reject(tooLarge(operation.what, bytes, this.#plan.maxRequestBytes));
      if (this.#status.state === 'lost') return reject(endedError(operation.what, this.#status.cause));
      if (this.#closed) return reject(closedError());
      this.#callers.begin();
      const settle = settleBy(operation, { resolve, reject, onReply });
      this.#send({
        frame,
        what: operation.what,
        settle: (reply, error, zxid) => {
          this.#callers.end();
          settle(reply, error, zxid);
        },
      });
    });
  }

  /** Ends the session, and its nodes with it. Requests in flight get their replies, unsent ones fail. Never rejects. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  #close(): Promise<void> {
    const connection = this.#connection;
    if (this.#status.state !== 'connected' || connection === undefined) {
      this.#lose(closedError());
      return Promise.resolve();
    }
    this.#failUnsent(closedError());
    return new Promise((resolve) => {
      this.#callers.begin();
      new Alarm(this.#timers, () => this.#lose(closedError())).set(this.#plan.clock.now() + CLOSE_LIMIT_MS);
      connection.send(encodeRequest(closeSession()), 'closeSession', () => {
        this.#callers.end();
        this.#lose(closedError());
        resolve();
      });
    });
  }

  #send(request: OutgoingRequest): void {
    // Queues behind the requests that already wait for a connection.
    if (this.#status.state === 'connected' && this.#connection) this.#sendOn(this.#connection, request);
    else this.#unsent.push(request);
  }

  #sendOn(connection: ServerConnection, { frame, what, settle }: OutgoingRequest): void {
    connection.send(frame, what, (reply, error, zxid) => {
      if (zxid > this.#lastZxid) this.#lastZxid = zxid;
      settle(reply, error, zxid);
    });
  }

  #dial(server: ZooKeeperServer): void {
    const { clock, sessionMs, connectMs, tls, maxReplyBytes } = this.#plan;
    const sentAt = clock.now();
    const connection: ServerConnection = new ServerConnection({
      server,
      tls,
      maxReplyBytes,
      handshake: connectFrame({
        lastZxid: this.#lastZxid,
        timeoutMs: sessionMs,
        sessionId: this.#granted?.id ?? 0n,
        password: this.#password,
      }),
      onConnected: (response) => this.#welcome(connection, response, sentAt),
      onHeard: () => this.#heartbeat?.recordActivity(),
      onEvent: this.#plan.onEvent,
      onEnd: (cause) => this.#handleEnd(server, cause),
    });
    this.#connection = connection;
    this.#attempt.set(sentAt + this.#dialer.limitMs(this.#granted?.grantedMs ?? connectMs));
  }

  #welcome(connection: ServerConnection, response: ConnectResponse, sentAt: number): void {
    const { random, sessionMs } = this.#plan;
    const refusal = refusalIn(response, this.#granted);
    if (refusal) return this.#lose(refusal);
    this.#granted = { id: response.sessionId, requestedMs: sessionMs, grantedMs: response.timeoutMs };
    this.#password = response.password;
    this.#proof.recordConnect(sentAt, response.timeoutMs);
    this.#deadline.set(this.#proof.deadline);
    presentCredentials(
      connection,
      this.#plan,
      random,
      () => this.#admit(connection),
      (error) => this.#lose(error),
    );
  }

  #admit(connection: ServerConnection): void {
    const { clock } = this.#plan;
    this.#attempt.cancel();
    this.#heartbeat = new SessionHeartbeat({
      clock,
      timers: this.#timers,
      proof: this.#proof,
      sessionMs: this.#granted!.grantedMs,
      connection,
      onProven: () => this.#recordProof(),
      onSilence: () => connection.destroy(new Error('the server was silent for a third of the session')),
    });
    for (const operation of this.#plan.watchRequests(this.#lastZxid)) {
      const frame = encodeRequest(operation);
      connection.sendReserved(reservedXid.setWatches, frame, operation.what, (_, error) => {
        if (error) connection.destroy(error);
      });
    }
    for (const request of this.#unsent.splice(0)) this.#sendOn(connection, request);
    this.#tell({ state: 'connected', ...this.#proof.times });
  }

  #recordProof(): void {
    this.#dialer.resetPauses();
    this.#deadline.set(this.#proof.deadline);
    this.#tell({ state: 'connected', ...this.#proof.times });
  }

  #handleEnd({ host, port }: ZooKeeperServer, cause: Error): void {
    this.#attempt.cancel();
    this.#heartbeat?.stop();
    this.#heartbeat = undefined;
    this.#connection = undefined;
    if (this.#status.state === 'lost') return;
    this.#failure = new Error(`${host}:${port}: ${cause.message}`, { cause });
    if (this.#status.state === 'connected')
      this.#tell({ state: 'suspended', deadline: this.#proof.deadline, cause: this.#failure });
    // The race: a listener has closed the client.
    if (this.#isOver()) return;
    this.#dialer.next(this.#granted?.grantedMs ?? this.#plan.sessionMs);
  }

  #isOver(): boolean {
    return this.#status.state === 'lost';
  }

  /** Ends the session, the only way it ends. Every unsent request, every watch and every listener learns of it in this turn. */
  #lose(cause: Error): void {
    if (this.#isOver()) return;
    const wasConnected = this.#status.state === 'connected';
    const connection = this.#connection;
    this.#status = { state: 'lost', cause };
    this.#timers.clear();
    this.#dialer.stop();
    // The server may still keep a session that this client has given up, while other clients wait for its nodes to go.
    if (wasConnected && !this.#closed)
      connection?.send(encodeRequest(closeSession()), 'closeSession', () => undefined);
    if (wasConnected) connection?.finish(cause);
    else connection?.destroy(cause);
    this.#failUnsent(cause);
    callListener(this.#plan.onStatus, this.#status);
  }

  #failUnsent(cause: Error): void {
    for (const { what, settle } of this.#unsent.splice(0)) settle(undefined, endedError(what, cause), 0n);
  }

  #tell(status: SessionStatus): void {
    this.#status = status;
    callListener(this.#plan.onStatus, status);
  }
}
