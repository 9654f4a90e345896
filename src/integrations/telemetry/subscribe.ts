import { tracingChannel } from 'node:diagnostics_channel';
import type { AcquireTrace, HoldTrace, RenewalTrace } from '../../spi/synchronizers.ts';

/** Hears of every acquisition, hold and renewal of the process. */
export interface TraceObserver {
  beginAcquire?(trace: AcquireTrace): void;
  endAcquire?(trace: AcquireTrace): void;
  beginHold?(trace: HoldTrace): void;
  endHold?(trace: HoldTrace): void;
  endRenewal?(trace: RenewalTrace): void;
}

/** Subscribes to the channels by their names: they are the same for every copy of the package in the process. Answers the end of it. */
export function subscribe(observer: TraceObserver): () => void {
  const acquire = {
    start: (trace: object) => observer.beginAcquire?.(trace as AcquireTrace),
    asyncEnd: (trace: object) => observer.endAcquire?.(trace as AcquireTrace),
  };
  const hold = {
    start: (trace: object) => observer.beginHold?.(trace as HoldTrace),
    asyncEnd: (trace: object) => observer.endHold?.(trace as HoldTrace),
  };
  const renewal = { asyncEnd: (trace: object) => observer.endRenewal?.(trace as RenewalTrace) };
  const subscriptions = Object.entries({ acquire, hold, renewal }).map(([name, subscribers]) => {
    const channels = tracingChannel(`holdfast:${name}`);
    // Typed as if all five were needed.
    const some = subscribers as unknown as Parameters<typeof channels.subscribe>[0];
    channels.subscribe(some);
    return () => channels.unsubscribe(some);
  });
  return () => {
    for (const unsubscribe of subscriptions) unsubscribe();
  };
}
