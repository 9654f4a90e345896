import { exitCodeOfSignal } from '../../exit-codes.ts';

const CAUGHT = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;

/** Why the waiting ended. */
export class SignalCaught extends Error {
  readonly signal: NodeJS.Signals;

  constructor(signal: NodeJS.Signals) {
    super(`ended by ${signal}`);
    this.signal = signal;
  }
}

/**
 * Signals that are meant for the command: until it runs they end the waiting, then they are passed on to it. They are
 * caught from the start, because a signal between the two must not leave a command behind that never received it.
 */
export class CaughtSignals {
  readonly #waiting = new AbortController();
  #isAskedToEnd = false;
  #pass: ((signal: NodeJS.Signals) => void) | undefined;

  constructor() {
    for (const signal of CAUGHT) process.on(signal, this.#catch);
  }

  /** Aborts with a {@link SignalCaught}, or with the reason of `endWaiting`. */
  get waiting(): AbortSignal {
    return this.#waiting.signal;
  }

  /** Whether a signal has come that asks a program to end. */
  get isAskedToEnd(): boolean {
    return this.#isAskedToEnd;
  }

  /** Ends the waiting for another reason than a signal. */
  endWaiting(reason: Error): void {
    this.#waiting.abort(reason);
  }

  /** From now on signals go to `pass`; without it they end the waiting. */
  passTo(pass: ((signal: NodeJS.Signals) => void) | undefined): void {
    this.#pass = pass;
  }

  readonly #catch = (signal: NodeJS.Signals): void => {
    if (!signal.startsWith('SIGUSR')) this.#isAskedToEnd = true;
    if (this.#pass !== undefined) return this.#pass(signal);
    // A user who sends a signal twice does not want to wait for a silent store. The pending request lapses by itself.
    if (this.#waiting.signal.aborted) process.exit(exitCodeOfSignal(signal));
    this.#waiting.abort(new SignalCaught(signal));
  };
}
