import type { Clock, Timer } from '../../../spi/clock.ts';
import { LeaseLostError } from '../../../spi/errors.ts';
import type { TellEvent } from './run-event.ts';
import type { RunRequest } from './run-request.ts';

/** KILL is sent so much before the hold is no longer good: to find and end a tree of processes takes a busy machine a while. */
const MOST_RESERVE_MS = 1_000;

function reserveMs(leaseMs: number): number {
  return Math.min(leaseMs / 10, MOST_RESERVE_MS);
}

/** What of a hold matters here. */
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
 * Ends the command before another holder can be in.
 *
 * To wait for `lost` and then to be patient would be too late: it comes a hundredth of the lease before the end, which is
 * time to stop a promise and not a tree of processes. So TERM is sent ahead, when renewals have failed until no more is
 * left than `killAfterMs` and a reserve; and KILL when only the reserve is left.
 *
 * The news that a hold was taken away comes when another holder may be in already. Then TERM comes at once, and KILL after
 * the same time.
 */
export class LossGuard {
  readonly #options: LossGuardOptions;
  #timer: Timer | undefined;
  #phase: 'good' | 'ending' | 'killed' | 'over' = 'good';
  #wasLost = false;

  constructor(options: LossGuardOptions) {
    this.#options = options;
    const { lost } = options.hold;
    lost.addEventListener('abort', this.#handleLoss, { once: true });
    if (lost.aborted) this.#handleLoss();
    else this.#look();
  }

  /** Whether the command was, or should have been, ended. */
  get wasLost(): boolean {
    return this.#wasLost;
  }

  /** The command is over, whatever ended it. */
  end(): void {
    this.#phase = 'over';
    this.#timer?.cancel();
    this.#options.hold.lost.removeEventListener('abort', this.#handleLoss);
  }

  readonly #look = (): void => {
    if (this.#phase !== 'good') return;
    const { hold, request, clock, tell } = this.#options;
    const { remainingMs } = hold;
    // Looking has told that it is lost.
    if (this.#wasLost || request.onLost === 'warn') return;
    const untilKillMs = Math.max(0, remainingMs - reserveMs(request.leaseMs));
    if (untilKillMs > request.killAfterMs) {
      this.#timer = clock.timer(untilKillMs - request.killAfterMs, this.#look);
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
    else if (ended && this.#phase === 'good') this.#terminate(request.killAfterMs);
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
