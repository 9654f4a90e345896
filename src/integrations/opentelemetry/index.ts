import { metrics, type MeterProvider, trace, type TracerProvider } from '@opentelemetry/api';
import type { NameOf, Observed } from '../telemetry/labels.ts';
import { meter } from './meter.ts';
import { SpanObserver } from './span-observer.ts';
import { subscribe } from '../telemetry/subscribe.ts';

export type { NameOf, Observed } from '../telemetry/labels.ts';

/** What {@link instrument} takes. */
export interface InstrumentOptions {
  /** What names become as an attribute of spans and metrics. Without it there is no such attribute. */
  readonly nameOf?: NameOf;
  /** Makes the spans: the global one without it. False for no spans. */
  readonly tracerProvider?: TracerProvider | false;
  /** Makes the metrics: the global one without it. False for no metrics. */
  readonly meterProvider?: MeterProvider | false;
}

/** What {@link instrument} has started. */
export interface Instrumentation {
  /** Counts a write that your database has refused because its fence was older than another that it has seen. */
  readonly countRefusal: (of: Observed) => void;
  /** Ends it. Spans that are open stay open. */
  readonly stop: () => void;
}

const SCOPE = 'holdfast';

/**
 * Makes spans and metrics of the locks and the other synchronizers of all engine objects of this process. Call it once, after the
 * SDK has started: a metric that is made before stays without effect.
 */
export function instrument(options: InstrumentOptions = {}): Instrumentation {
  const { nameOf, tracerProvider = trace, meterProvider = metrics } = options;
  const endSpans =
    tracerProvider === false
      ? undefined
      : subscribe(new SpanObserver(tracerProvider.getTracer(SCOPE), nameOf));
  const measurements = meterProvider === false ? undefined : meter(meterProvider.getMeter(SCOPE), nameOf);
  return {
    countRefusal: (of) => measurements?.countRefusal(of),
    stop: () => {
      endSpans?.();
      measurements?.stop();
    },
  };
}
