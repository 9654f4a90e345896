import type { ConnectionOptions } from 'node:tls';
import type { Clock, Random } from '../../../../spi/clock.ts';
import {
  etcdCalls,
  type RangeRequest,
  type RangeResponse,
  type TxnRequest,
  type TxnResponse,
} from '../messages/etcd-messages.generated.ts';
import { type EtcdEndpoint, EndpointRound } from '../transport/endpoints.ts';
import { EtcdError } from '../transport/etcd-error.ts';
import type { GrpcConnection, GrpcMethod } from '../transport/grpc-connection.ts';
import type { Draft } from '../transport/message-type.ts';
import { AuthToken, type EtcdUser } from './auth-token.ts';
import { EtcdConnections } from './connections.ts';
import { LeaseHeartbeat } from './lease-heartbeat.ts';
import type { GrantedLease, LeaseStatus } from './lease-status.ts';
import { type EtcdWatch, type EtcdWatchPlan, WatchHub } from './watch-hub.ts';

/** What a client is made of. */
export interface EtcdClientPlan {
  readonly endpoints: readonly EtcdEndpoint[];
  readonly tls?: ConnectionOptions | undefined;
  readonly user?: EtcdUser | undefined;
  /** The lease that is asked for: whole seconds, of which the server may grant more. */
  readonly leaseSeconds: number;
  /** How long the first connection and the lease may take. */
  readonly connectMs: number;
  /** How long any other call may take. */
  readonly callMs: number;
  /** A key that the user may read, whether it is there or not: a read of it proves that the member has a leader. */
  readonly readKey: Buffer;
  readonly clock: Clock;
  readonly random: Random;
}

/** A call is sent again only if it has surely done nothing, and only so often: each time it was refused by another server. */
const MOST_COPIES = 4;
/** How long `close` waits for a connection, and as long again for the server to end the lease. */
const REVOKE_MS = 1000;
const MS = 1000;

/**
 * A client of etcd with one lease, which it keeps alive: what is bound to the lease goes when the client has gone. Knows nothing
 * of locks. When the lease is lost the client is over; another one is another lease, so that nothing is revived by accident.
 */
export class EtcdClient {
  readonly #plan: EtcdClientPlan;
  readonly #connections: EtcdConnections;
  readonly #token: AuthToken;
  readonly #watches: WatchHub;
  #heartbeat: LeaseHeartbeat | undefined;
  #granted: GrantedLease | undefined;
  #ready: Promise<GrantedLease> | undefined;
  #heard: (status: LeaseStatus) => void = () => undefined;
  #isClosed = false;

  constructor(plan: EtcdClientPlan) {
    this.#plan = plan;
    this.#token = new AuthToken(plan.user);
    this.#watches = new WatchHub({
      onTrouble: (connection, error) => this.#handleTrouble(connection, error),
    });
    this.#connections = new EtcdConnections({
      endpoints: new EndpointRound(plan.endpoints, plan.random),
      tls: plan.tls,
      connectMs: plan.connectMs / Math.max(2, plan.endpoints.length),
      clock: plan.clock,
      random: plan.random,
      onConnected: (connection) => void this.#attach(connection),
      onLost: (error) => this.#detach(error),
    });
  }

  /** The lease, once it was granted. */
  get lease(): GrantedLease | undefined {
    return this.#granted;
  }

  /** Calls with all news of the lease. There is one listener. */
  onStatus(heard: (status: LeaseStatus) => void): void {
    this.#heard = heard;
  }

  /** Resolves once there is a lease; the first call asks for one. */
  ready(): Promise<GrantedLease> {
    return (this.#ready ??= this.#begin());
  }

  range(request: Draft<RangeRequest>): Promise<RangeResponse> {
    return this.call(etcdCalls.range, request);
  }

  txn(request: Draft<TxnRequest>): Promise<TxnResponse> {
    return this.call(etcdCalls.txn, request);
  }

  /**
   * One call, answered or rejected within `timeoutMs`. Sent again only if it has surely done nothing: it never left, the server has
   * refused the stream, or the token.
   */
  async call<Q, R>(method: GrpcMethod<Q, R>, request: Draft<Q>, timeoutMs = this.#plan.callMs): Promise<R> {
    const { clock } = this.#plan;
    const until = clock.now() + timeoutMs;
    for (let copy = 1; ; copy++) {
      const connection = this.#connections.current ?? (await this.#connections.wait(until - clock.now()));
      const metadata = await this.#token.get(connection, until - clock.now());
      try {
        return await connection.call(method, request, until - clock.now(), metadata);
      } catch (error) {
        if (this.#isClosed) throw new EtcdError('CLOSED', 'the client was closed', { cause: error });
        const isLast = copy === MOST_COPIES || clock.now() >= until;
        if (isLast || !(error instanceof EtcdError)) throw error;
        if (this.#token.isRefused(error)) await this.#token.renew(connection, until - clock.now(), metadata);
        else if (error.code !== 'NOT_SENT') throw error;
      }
    }
  }

  /** Watches, over all connections until the watch is ended or the client closed. */
  watch(plan: EtcdWatchPlan): EtcdWatch {
    const watch = this.#watches.watch(plan);
    if (this.#isClosed) this.#watches.close(closed());
    return watch;
  }

  /** Ends the lease, and with it all that is bound to it. Every call that waits is answered. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#heartbeat?.detach();
    if (this.#granted !== undefined) await this.#revokeOnNext(this.#granted.id).catch(() => undefined);
    this.#connections.close();
    this.#watches.close(closed());
  }

  /**
   * The race: a member has gone, the next connection is on its way, and the process ends in an orderly manner. The tempting alternative
   * revokes only over a connection that stands: all that the client held would keep others waiting for the rest of its lease.
   */
  async #revokeOnNext(lease: bigint): Promise<void> {
    await this.#revoke(await this.#connections.wait(REVOKE_MS), lease);
  }

  async #revoke(connection: GrpcConnection, lease: bigint): Promise<void> {
    const metadata = await this.#token.get(connection, REVOKE_MS);
    await connection.call(etcdCalls.leaseRevoke, { ID: lease }, REVOKE_MS, metadata);
  }

  async #begin(): Promise<GrantedLease> {
    const { clock, leaseSeconds, connectMs } = this.#plan;
    const sentAt = clock.now();
    const connection = await this.#connections.wait(connectMs);
    const timeoutMs = connectMs - (clock.now() - sentAt);
    // The lease runs from the moment in which the server has it, which is not before the call was sent.
    const askedAt = clock.now();
    const {
      ID: id,
      TTL: seconds,
      error,
    } = await this.call(etcdCalls.leaseGrant, { TTL: BigInt(leaseSeconds) }, timeoutMs);
    if (error !== '') throw new EtcdError('FAILED_PRECONDITION', error);
    const granted = { id, requestedMs: leaseSeconds * MS, grantedMs: Number(seconds) * MS };
    const grantedAt = await this.#proveGrant(granted, askedAt);
    if (this.#isClosed) {
      // The race: closed while the answer was on its way. Nothing else knows of the lease.
      await this.#revoke(connection, id).catch(() => undefined);
      throw closed();
    }
    this.#granted = granted;
    this.#heartbeat = new LeaseHeartbeat({
      clock,
      lease: id,
      ttlMs: granted.grantedMs,
      readKey: this.#plan.readKey,
      onProven: (provenAt) => {
        this.#connections.resetPauses();
        this.#heard({ state: 'connected', provenAt });
      },
      onGone: () => this.#heard({ state: 'lost' }),
      onSilence: (silent, cause) => this.#handleTrouble(silent, cause),
    });
    this.#connections.resetPauses();
    this.#heard({ state: 'connected', provenAt: grantedAt });
    const { current } = this.#connections;
    if (current !== undefined) await this.#attach(current);
    return granted;
  }

  /**
   * From when the lease counts. The race: the process stands still, or the members elect a leader, while the answer is on its way, and by the
   * time of the call the lease is over before it was used. The store may have it all the same: one beat tells.
   */
  async #proveGrant({ id, grantedMs }: GrantedLease, askedAt: number): Promise<number> {
    const { clock, callMs } = this.#plan;
    const sentAt = clock.now();
    if (sentAt - askedAt < grantedMs / 2) return askedAt;
    const { TTL: seconds } = await this.call(etcdCalls.leaseKeepAlive, { ID: id }, callMs);
    if (seconds > 0n) return sentAt;
    throw new EtcdError('ABORTED', 'the lease was granted later than it lasts');
  }

  /** Streams carry the token of their beginning. */
  async #attach(connection: GrpcConnection): Promise<void> {
    try {
      const metadata = await this.#token.get(connection, this.#plan.callMs);
      if (this.#isClosed || connection !== this.#connections.current) return;
      this.#watches.attach(connection, metadata);
      this.#heartbeat?.attach(connection, metadata);
    } catch (error) {
      // A call that waits says so itself, if the user is unknown; a client with a lease tries on until that is over.
      if (this.#granted !== undefined) this.#connections.giveUp(connection, error);
    }
  }

  #detach(error: unknown): void {
    this.#heartbeat?.detach();
    this.#watches.detach();
    if (this.#granted !== undefined && !this.#isClosed) this.#heard({ state: 'suspended', cause: error });
  }

  /** A member that has no leader, does not answer, or has ended a stream is left for the next one. */
  #handleTrouble(connection: GrpcConnection, error: EtcdError): void {
    if (this.#isClosed || connection !== this.#connections.current) return;
    if (this.#token.isRefused(error)) return void this.#attachWithNewToken(connection);
    this.#connections.giveUp(connection, error);
  }

  async #attachWithNewToken(connection: GrpcConnection): Promise<void> {
    try {
      const { callMs } = this.#plan;
      await this.#token.renew(connection, callMs, await this.#token.get(connection, callMs));
      await this.#attach(connection);
    } catch (error) {
      this.#connections.giveUp(connection, error);
    }
  }
}

function closed(): EtcdError {
  return new EtcdError('CLOSED', 'the client was closed');
}
