import type { Clock, Timer } from '../../../spi/clock.ts';
import type { TellEvent } from './run-event.ts';
import type { WorkRequest } from './run-request.ts';

export interface TimeLimitOptions {
  readonly request: Pick<WorkRequest, 'timeoutMs' | 'killAfterMs'>;
  readonly clock: Clock;
  readonly end: (signal: 'SIGTERM' | 'SIGKILL') => void;
  readonly tell: TellEvent;
}

/** Ends a command that runs for longer than it may: TERM, and KILL after the same grace as when the lock is lost. */
export class TimeLimit {
  readonly #options: TimeLimitOptions;
  #timer: Timer | undefined;
  #isOver = false;

  constructor(options: TimeLimitOptions) {
    this.#options = options;
    const { timeoutMs } = options.request;
    if (timeoutMs !== undefined) this.#timer = options.clock.timer(timeoutMs, this.#terminate);
  }

  /** Whether the command was ended because its time was over. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Stops counting: the command has ended, whatever ended it. */
  end(): void {
    this.#timer?.cancel();
  }

  readonly #terminate = (): void => {
    const { request, clock, end, tell } = this.#options;
    const { timeoutMs = 0, killAfterMs } = request;
    this.#isOver = true;
    this.#timer = clock.timer(killAfterMs, () => {
      end('SIGKILL');
      tell({ event: 'killed' });
    });
    end('SIGTERM');
    tell({ event: 'timed-out', timeoutMs, killAfterMs });
  };
}
