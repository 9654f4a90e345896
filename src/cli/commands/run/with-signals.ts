import { exitCodeOfSignal } from '../../exit-codes.ts';
import { withTimeout } from '../../with-timeout.ts';
import type { InspectedLocks } from '../../open-locks.ts';
import { CaughtSignals, SignalCaught } from './caught-signals.ts';

/** How long to wait for a store when closing: a hold that was not released ends with its lease. */
const CLOSING_MS = 1_000;

/**
 * Opens an engine, and catches signals from the start: one that comes while nothing is held ends everything, with the code that a
 * shell gives. Closes the engine in any case.
 */
export async function withSignals(
  open: () => Promise<InspectedLocks>,
  use: (locks: InspectedLocks, signals: CaughtSignals) => Promise<number>,
): Promise<number> {
  const signals = new CaughtSignals();
  let locks: InspectedLocks | undefined;
  try {
    locks = await rejectOnSignal(open(), signals.waiting);
    return await use(locks, signals);
  } catch (error) {
    if (error instanceof SignalCaught) return exitCodeOfSignal(error.signal);
    throw error;
  } finally {
    if (locks !== undefined) await withTimeout(locks.close(), CLOSING_MS);
  }
}

function rejectOnSignal<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    const stopListening = (): void => signal.removeEventListener('abort', stop);
    promise.then(stopListening, stopListening);
    promise.then(resolve, reject);
  });
}
