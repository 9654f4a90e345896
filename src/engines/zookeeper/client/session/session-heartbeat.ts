import type { TimerQueue } from '../../../../core/time/timer-queue.ts';
import type { Clock } from '../../../../spi/clock.ts';
import { syncNode } from '../protocol/node-operations.ts';
import { encodeRequest } from '../protocol/operation.ts';
import { Alarm } from './alarm.ts';
import type { ServerConnection } from './server-connection.ts';
import type { SessionProof } from './session-proof.ts';

/** With 7 beats in a session, two beats apart is more than the quarter of the session that a proof needs. */
const BEATS_PER_SESSION = 7;
/**
 * Leaves a server that was asked and is silent for this share of the session. ZooKeeper's own clients wait two thirds. The
 * proof of a session is up to two sevenths old when the silence begins, so two thirds would leave no time for another server.
 */
const SILENCE_SHARE = 1 / 3;
/** If an alarm is later than this the process was suspended, and answers may be waiting in the socket. */
const STOOD_STILL_MS = 100;
const ONE_TURN_MS = 1;

export interface SessionHeartbeatPlan {
  readonly clock: Clock;
  readonly timers: TimerQueue;
  readonly proof: SessionProof;
  readonly sessionMs: number;
  readonly connection: ServerConnection;
  readonly onProven: () => void;
  readonly onSilence: () => void;
}

/**
 * Keeps a session alive on one connection, and proves that it is. Each beat is a sync and, after its answer, a second one
 * ({@link SessionProof} explains why two). It sends no pings: every request is a sign of life to the server.
 */
export class SessionHeartbeat {
  readonly #plan: SessionHeartbeatPlan;
  readonly #beat: Alarm;
  readonly #silence: Alarm;
  readonly #silenceMs: number;
  #heardAt: number;
  #isAsked = false;
  #lookedAt = -Infinity;

  constructor(plan: SessionHeartbeatPlan) {
    this.#plan = plan;
    this.#silenceMs = plan.sessionMs * SILENCE_SHARE;
    this.#beat = new Alarm(plan.timers, (now) => this.#sendBeat(now));
    this.#silence = new Alarm(plan.timers, (now) => this.#look(now));
    this.#heardAt = plan.clock.now();
    this.#beat.set(this.#heardAt + plan.sessionMs / BEATS_PER_SESSION);
  }

  /** Records that the server has sent something. */
  recordActivity(): void {
    this.#heardAt = this.#plan.clock.now();
  }

  stop(): void {
    this.#beat.cancel();
    this.#silence.cancel();
  }

  #sendBeat(now: number): void {
    this.#beat.set(now + this.#plan.sessionMs / BEATS_PER_SESSION);
    // One at a time: more beats would only delay a slow server further.
    if (!this.#isAsked) this.#ask(() => this.#ask(() => undefined));
  }

  #ask(then: () => void): void {
    const { clock, proof, connection, onProven } = this.#plan;
    const sentAt = clock.now();
    this.#isAsked = true;
    // Counts from the request: a connection without requests may be silent.
    this.#heardAt = sentAt;
    this.#silence.set(sentAt + this.#silenceMs);
    connection.send(encodeRequest(syncNode('/')), 'heartbeat', (reply) => {
      if (!reply) return;
      this.#isAsked = false;
      this.#silence.cancel();
      if (proof.recordAnswer(sentAt, clock.now())) onProven();
      then();
    });
  }

  #look(now: number): void {
    const dueAt = this.#heardAt + this.#silenceMs;
    if (now < dueAt) return this.#silence.set(dueAt);
    // The race: an answer arrived while the process was suspended, and alarms run before the socket is read. Reads it first.
    if (now - dueAt > STOOD_STILL_MS && now - this.#lookedAt > STOOD_STILL_MS) {
      this.#lookedAt = now;
      return this.#silence.set(now + ONE_TURN_MS);
    }
    this.#plan.onSilence();
  }
}
