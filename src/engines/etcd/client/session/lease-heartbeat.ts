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
  /** The lease was alive at a moment not before this one. */
  readonly onProven: (sentAt: number, ttlMs: number) => void;
  readonly onGone: () => void;
  /** No answer in time, or the server has ended the stream. */
  readonly onSilence: (connection: GrpcConnection, error: EtcdError) => void;
}

/** Keeps a lease alive on one connection after the other. */
export class LeaseHeartbeat {
  readonly #plan: LeaseHeartbeatPlan;
  #connection: GrpcConnection | undefined;
  #stream: GrpcStream<{ readonly ID: bigint }> | undefined;
  #timer: Timer | undefined;
  /** When the beats were sent that are not answered yet: the server answers them in order. */
  #sentAt: number[] = [];

  constructor(plan: LeaseHeartbeatPlan) {
    this.#plan = plan;
  }

  /** Beats over this connection, at once: how long the silence before it was is not known. */
  attach(connection: GrpcConnection, metadata: CallMetadata): void {
    this.detach();
    this.#connection = connection;
    try {
      this.#stream = connection.open(etcdCalls.leaseKeepAlive, metadata, {
        onMessage: ({ TTL: seconds }) => this.#hear(Number(seconds)),
        onEnd: (error) => this.#giveUp(error),
      });
    } catch (error) {
      // The connection has ended in this moment, and the next one is on its way.
      if (!(error instanceof EtcdError)) throw error;
      return;
    }
    this.#beat();
  }

  detach(): void {
    this.#timer?.cancel();
    this.#stream?.cancel();
    this.#stream = undefined;
    this.#connection = undefined;
    this.#sentAt = [];
  }

  get #beatMs(): number {
    return this.#plan.ttlMs / BEATS_PER_LEASE;
  }

  #beat(): void {
    const { clock, lease } = this.#plan;
    const now = clock.now();
    this.#sentAt.push(now);
    this.#stream?.send({ ID: lease });
    this.#timer = clock.timer(this.#beatMs, () => this.#look(now + this.#beatMs));
  }

  /** The race: alarms run before the socket is read. After a standstill the socket is read first. */
  #look(dueAt: number, isSecond = false): void {
    const { clock } = this.#plan;
    if (this.#sentAt.length === 0) return this.#beat();
    if (!isSecond && clock.now() - dueAt > STOOD_STILL_MS) {
      this.#timer = clock.timer(ONE_TURN_MS, () => this.#look(dueAt, true));
      return;
    }
    const ms = Math.ceil(this.#beatMs);
    this.#giveUp(new EtcdError('DEADLINE_EXCEEDED', `no answer to a keep-alive within ${ms} ms`));
  }

  #hear(seconds: number): void {
    const sentAt = this.#sentAt.shift();
    if (sentAt === undefined) return;
    if (seconds > 0) return this.#plan.onProven(sentAt, seconds * 1000);
    this.detach();
    this.#plan.onGone();
  }

  #giveUp(error: EtcdError): void {
    const connection = this.#connection;
    this.detach();
    if (connection !== undefined) this.#plan.onSilence(connection, error);
  }
}
