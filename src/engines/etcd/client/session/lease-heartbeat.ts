import type { Clock, Timer } from '../../../../spi/clock.ts';
import { etcdCalls } from '../messages/etcd-messages.generated.ts';
import { EtcdError } from '../transport/etcd-error.ts';
import type { CallMetadata, GrpcConnection, GrpcStream } from '../transport/grpc-connection.ts';

/**
 * A beat every quarter of the lease, and as long for its answer. The client of etcd beats every third and waits for as long as the
 * lease: there is no time left then for another member.
 */
const BEATS_PER_LEASE = 4;
/** An alarm that is later than this: the process stood still, and the answer may be waiting in the socket. */
const STOOD_STILL_MS = 100;
const ONE_TURN_MS = 1;

/** What a heartbeat reports. */
export interface LeaseHeartbeatPlan {
  readonly clock: Clock;
  readonly lease: bigint;
  readonly ttlMs: number;
  /** What is read beside every beat. No key need be there. */
  readonly readKey: Buffer;
  /** The lease was alive at a moment not before this one. */
  readonly onProven: (sentAt: number, ttlMs: number) => void;
  readonly onGone: () => void;
  /** No answer in time, or the server has ended the stream. */
  readonly onSilence: (connection: GrpcConnection, error: EtcdError) => void;
}

/** One keep-alive and the read beside it. */
interface Beat {
  readonly sentAt: number;
  /** What the member has answered to the keep-alive. */
  renewed?: { readonly term: bigint; readonly ttlMs: number };
  /** The term of the leader that a majority knew after the beat was sent. */
  leaderTerm?: bigint;
}

/**
 * Keeps a lease alive on one connection after the other.
 *
 * The race: a leader hangs in a write to its disk, and the others elect another one. It has not noticed, and answers keep-alives from its
 * memory; its successor knows of none of them, and ends the lease. So each keep-alive has a read beside it, which no member answers
 * without a majority, and counts only if the member that answered it had already come to the term that the read has found: then no
 * later leader was there when the beat was sent, and one that comes afterwards gives the lease its whole time.
 *
 * The tempting alternative counts a beat when both are answered, whatever their terms. The leader that hung answers the keep-alive first,
 * notices, and answers the read as the follower that it has become.
 */
export class LeaseHeartbeat {
  readonly #plan: LeaseHeartbeatPlan;
  #connection: GrpcConnection | undefined;
  #metadata: CallMetadata = {};
  #stream: GrpcStream<{ readonly ID: bigint }> | undefined;
  #timer: Timer | undefined;
  /** The beat that is not answered yet: the next one is sent after it. */
  #unanswered: Beat | undefined;

  constructor(plan: LeaseHeartbeatPlan) {
    this.#plan = plan;
  }

  /** Beats over this connection, at once: how long the silence before it was is not known. */
  attach(connection: GrpcConnection, metadata: CallMetadata): void {
    this.detach();
    this.#connection = connection;
    this.#metadata = metadata;
    try {
      this.#stream = connection.open(etcdCalls.leaseKeepAlive, metadata, {
        onMessage: ({ TTL: seconds, header }) => this.#hear(Number(seconds), header?.raftTerm ?? 0n),
        onEnd: (error) => this.#giveUp(error),
      });
    } catch (error) {
      // The connection has ended in this moment, and the next one is on its way.
      if (!(error instanceof EtcdError)) throw error;
      return;
    }
    this.#beat(connection);
  }

  detach(): void {
    this.#timer?.cancel();
    this.#stream?.cancel();
    this.#stream = undefined;
    this.#connection = undefined;
    this.#unanswered = undefined;
  }

  get #beatMs(): number {
    return this.#plan.ttlMs / BEATS_PER_LEASE;
  }

  #beat(connection: GrpcConnection): void {
    const { clock, lease } = this.#plan;
    const now = clock.now();
    const beat: Beat = { sentAt: now };
    this.#unanswered = beat;
    this.#stream?.send({ ID: lease });
    this.#timer = clock.timer(this.#beatMs, () => this.#look(connection, now + this.#beatMs));
    void this.#findLeader(connection, beat);
  }

  /** The race: alarms run before the socket is read. After a standstill the socket is read first. */
  #look(connection: GrpcConnection, dueAt: number, isSecond = false): void {
    const { clock } = this.#plan;
    if (this.#unanswered === undefined) return this.#beat(connection);
    if (!isSecond && clock.now() - dueAt > STOOD_STILL_MS) {
      this.#timer = clock.timer(ONE_TURN_MS, () => this.#look(connection, dueAt, true));
      return;
    }
    const ms = Math.ceil(this.#beatMs);
    const what = this.#unanswered.renewed === undefined ? 'a keep-alive' : 'the read beside a keep-alive';
    this.#giveUp(new EtcdError('DEADLINE_EXCEEDED', `no answer to ${what} within ${ms} ms`));
  }

  #hear(seconds: number, term: bigint): void {
    const beat = this.#unanswered;
    if (beat === undefined || beat.renewed !== undefined) return;
    if (seconds > 0) {
      beat.renewed = { term, ttlMs: seconds * 1000 };
      return this.#settle(beat);
    }
    this.detach();
    this.#plan.onGone();
  }

  /** Has as much time as the lease: {@link LeaseHeartbeat.#look} says when it has taken too long, and knows of standstills. */
  async #findLeader(connection: GrpcConnection, beat: Beat): Promise<void> {
    const { readKey, ttlMs } = this.#plan;
    const read = { key: readKey, countOnly: true };
    try {
      const { header } = await connection.call(etcdCalls.range, read, ttlMs, this.#metadata, false);
      beat.leaderTerm = header?.raftTerm ?? 0n;
    } catch (error) {
      if (beat !== this.#unanswered) return;
      const refusal =
        error instanceof EtcdError ? error : new EtcdError('UNKNOWN', String(error), { cause: error });
      // A user who may not read here joins no line, and has no hold to lose: the lease goes on by its keep-alives.
      if (refusal.code !== 'PERMISSION_DENIED') return this.#giveUp(refusal);
      beat.leaderTerm = 0n;
    }
    this.#settle(beat);
  }

  #settle(beat: Beat): void {
    const { renewed, leaderTerm } = beat;
    if (beat !== this.#unanswered || renewed === undefined || leaderTerm === undefined) return;
    this.#unanswered = undefined;
    if (renewed.term >= leaderTerm) this.#plan.onProven(beat.sentAt, renewed.ttlMs);
  }

  #giveUp(error: EtcdError): void {
    const connection = this.#connection;
    this.detach();
    if (connection !== undefined) this.#plan.onSilence(connection, error);
  }
}
