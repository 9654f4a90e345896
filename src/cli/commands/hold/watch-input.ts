import type { CaughtSignals } from '../run/caught-signals.ts';
import { onInputEnd } from './standard-input.ts';

/** Why the waiting ended: there is no process left to hold it for. */
export class InputEnded extends Error {
  constructor() {
    super('stdin ended before it was acquired');
  }
}

/** Aborts when the input ends, and ends the waiting, too. */
export function watchInput(signals: CaughtSignals): AbortSignal {
  const input = new AbortController();
  onInputEnd(() => {
    const ended = new InputEnded();
    input.abort(ended);
    signals.endWaiting(ended);
  });
  return input.signal;
}
