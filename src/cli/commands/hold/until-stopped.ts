import { keepAlive } from '../../keep-alive.ts';
import type { AnyHold } from '../run/acquisition.ts';
import type { CaughtSignals } from '../run/caught-signals.ts';

/** Waits until a signal or the end of the input asks to stop, or the hold is lost. */
export function untilStopped(
  hold: AnyHold,
  signals: CaughtSignals,
  input: AbortSignal,
): Promise<'asked' | 'lost'> {
  // Either may have come while the lock was acquired; both end the waiting.
  signals.waiting.throwIfAborted();
  return new Promise((resolve) => {
    const letGo = keepAlive();
    const end = (why: 'asked' | 'lost'): void => {
      letGo();
      input.removeEventListener('abort', stop);
      hold.lost.removeEventListener('abort', lose);
      signals.passTo(undefined);
      resolve(why);
    };
    const stop = (): void => end('asked');
    const lose = (): void => end('lost');
    input.addEventListener('abort', stop);
    hold.lost.addEventListener('abort', lose);
    signals.passTo(() => {
      if (signals.isAskedToEnd) stop();
    });
    if (hold.lost.aborted) lose();
  });
}
