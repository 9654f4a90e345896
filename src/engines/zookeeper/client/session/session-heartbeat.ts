import type { TimerQueue } from '../../../../core/time/timer-queue.ts';
import type { Clock } from '../../../../spi/clock.ts';
import { syncNode } from '../protocol/node-operations.ts';
import { encodeRequest } from '../protocol/operation.ts';
import { Alarm } from './alarm.ts';
import type { ServerConnection } from './server-connection.ts';
import type { SessionProof } from './session-proof.ts';

/** With 7 beats in a session, the second beat after another is sent later than the quarter that a proof needs. */
const BEATS_PER_SESSION = 7;
/**
 * A server that says nothing for so long, although it was asked, is given up. ZooKeeper's own clients wait two thirds. The proof
 * of a session is up to two sevenths old when the silence begins, so that two thirds would leave no time to go on elsewhere.
 */
const SILENCE_SHARE = 1 / 3;
/** An alarm that is later than this was kept by a process that stood still, and answers may be waiting in the socket. */
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
 * Keeps a session alive on one connection, and proves that it is. Each beat is a sync and, when that is answered, another one
 * ({@link SessionProof} says why two). There is no ping beside it: every request is a sign of life to the server.
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

  /** Something has come from the server. */
  recordActivity(): void {
    this.#heardAt = this.#plan.clock.now();
  }

  stop(): void {
    this.#beat.cancel();
    this.#silence.cancel();
  }

  #sendBeat(now: number): void {
    this.#beat.set(now + this.#plan.sessionMs / BEATS_PER_SESSION);
    // One at a time: a server that is behind would only get further behind.
    if (!this.#isAsked) this.#ask(() => this.#ask(() => undefined));
  }

  #ask(then: () => void): void {
    const { clock, proof, connection, onProven } = this.#plan;
    const sentAt = clock.now();
    this.#isAsked = true;
    // From the question on: a connection on which nothing was asked may be silent.
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
    // Alarms are called before the socket is read: an answer that came while the process stood still gets its turn first.
    if (now - dueAt > STOOD_STILL_MS && now - this.#lookedAt > STOOD_STILL_MS) {
      this.#lookedAt = now;
      return this.#silence.set(now + ONE_TURN_MS);
    }
    this.#plan.onSilence();
  }
}
