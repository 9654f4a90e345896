import type { Clock, Timer } from '../../../spi/clock.ts';
import { LeaseLostError } from '../../../spi/errors.ts';
import type { TellEvent } from './run-event.ts';
import type { RunRequest } from './run-request.ts';

/**
 * How long before the end of the hold KILL is sent: finding and ending a tree of processes takes a while on a busy
 * machine.
 */
const MOST_RESERVE_MS = 1_000;

function reserveMs(leaseMs: number): number {
  return Math.min(leaseMs / 10, MOST_RESERVE_MS);
}

/** The part of a hold that the guard uses. */
export interface Guarded {
  readonly lost: AbortSignal;
  readonly remainingMs: number;
}

export interface LossGuardOptions {
  readonly hold: Guarded;
  readonly request: Pick<RunRequest, 'onLost' | 'killAfterMs' | 'leaseMs'>;
  readonly clock: Clock;
  readonly end: (signal: 'SIGTERM' | 'SIGKILL') => void;
  readonly tell: TellEvent;
}

/**
 * Ends the command before another owner can acquire the lock.
 *
 * Waiting for `lost` would be too late: it fires 1 % of the lease before the end, which is enough to stop a promise but
 * not a tree of processes. So TERM is sent when renewals have failed until no more than `killAfterMs` and a reserve are
 * left; and KILL when only the reserve is left.
 *
 * A hold that was broken may have a successor when the news arrives. Then TERM is sent at once, and KILL after
 * `killAfterMs`.
 */
export class LossGuard {
  readonly #options: LossGuardOptions;
  readonly #killAfterMs: number;
  readonly #reserveMs: number;
  #timer: Timer | undefined;
  #phase: 'good' | 'ending' | 'killed' | 'over' = 'good';
  #wasLost = false;

  constructor(options: LossGuardOptions) {
    this.#options = options;
    const { lost, remainingMs } = options.hold;
    const { leaseMs, killAfterMs } = options.request;
    // A store that ends holds with a session may have granted a shorter one than the lease: a command that is well would
    // be ended at once if its end took longer than the session is known to last.
    const isCutShort = remainingMs < leaseMs / 2;
    this.#killAfterMs = isCutShort ? Math.min(killAfterMs, remainingMs / 3) : killAfterMs;
    this.#reserveMs = reserveMs(isCutShort ? remainingMs : leaseMs);
    if (lost.aborted) {
      this.#handleLoss();
    } else {
      lost.addEventListener('abort', this.#handleLoss, { once: true });
      this.#look();
    }
  }

  /** Whether the command was ended, or should have been. */
  get wasLost(): boolean {
    return this.#wasLost;
  }

  /** Stops guarding: the command has ended, whatever ended it. */
  end(): void {
    this.#phase = 'over';
    this.#timer?.cancel();
    this.#options.hold.lost.removeEventListener('abort', this.#handleLoss);
  }

  readonly #look = (): void => {
    if (this.#phase !== 'good') return;
    const { hold, request, clock, tell } = this.#options;
    const { remainingMs } = hold;
    // Reading `remainingMs` has found that the hold is lost.
    if (this.#wasLost || request.onLost === 'warn') return;
    const untilKillMs = Math.max(0, remainingMs - this.#reserveMs);
    if (untilKillMs > this.#killAfterMs) {
      this.#timer = clock.timer(untilKillMs - this.#killAfterMs, this.#look);
      return;
    }
    this.#wasLost = true;
    this.#terminate(untilKillMs);
    tell({ event: 'losing', remainingMs, killAfterMs: untilKillMs });
  };

  readonly #handleLoss = (): void => {
    if (this.#phase === 'over' || this.#phase === 'killed') return;
    const { hold, request, tell } = this.#options;
    const reason = hold.lost.reason instanceof LeaseLostError ? hold.lost.reason.reason : 'expired';
    const ended = request.onLost === 'kill';
    this.#wasLost = true;
    if (ended && reason !== 'gone') this.#kill();
    else if (ended && this.#phase === 'good') this.#terminate(this.#killAfterMs);
    tell({ event: 'lost', reason, command: ended ? 'is-ended' : 'goes-on' });
  };

  #terminate(killAfterMs: number): void {
    const { clock, end } = this.#options;
    this.#phase = 'ending';
    this.#timer?.cancel();
    this.#timer = clock.timer(killAfterMs, () => this.#kill());
    end('SIGTERM');
  }

  #kill(): void {
    if (this.#phase === 'killed' || this.#phase === 'over') return;
    this.#phase = 'killed';
    this.#timer?.cancel();
    this.#options.end('SIGKILL');
    this.#options.tell({ event: 'killed' });
  }
}
