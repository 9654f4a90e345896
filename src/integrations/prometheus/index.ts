import { Counter, Gauge, Histogram, register as usualRegister, type Registry } from 'prom-client';
import { LABEL_NAMES, type Labels, type NameOf, type Observed } from '../telemetry/labels.ts';
import { Measurements } from '../telemetry/measurements.ts';
import { BOUNDS, type Metric, METRICS } from '../telemetry/metrics.ts';
import type { Tally } from '../telemetry/tally.ts';

export type { NameOf, Observed } from '../telemetry/labels.ts';

/** What {@link measure} takes. */
export interface MeasureOptions {
  /** Where the metrics are registered: the default registry of `prom-client` without it. */
  readonly register?: Registry;
  /** What names become as a label. Without it there is no such label. */
  readonly nameOf?: NameOf;
  /** The upper bounds of the histograms in seconds. */
  readonly buckets?: readonly number[];
}

/** The metrics of a process. */
export interface LockMetrics {
  /** Counts a write that your database has refused because its fence was older than another that it has seen. */
  readonly countRefusal: (of: Observed) => void;
  /** Stops to measure, and removes the metrics from their registry. */
  readonly stop: () => void;
}

/** A name or a label as Prometheus allows it. */
const spelled = (name: string): string => name.replaceAll('.', '_');

const spelledLabels = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [spelled(name), value]));

/** Measures the locks and the other synchronizers of all engine objects of this process. Call it once, at the start. */
export function measure(options: MeasureOptions = {}): LockMetrics {
  const { register = usualRegister, nameOf, buckets = BOUNDS } = options;
  const named: string[] = [];
  const settings = ({ name, description }: Metric, suffix: string, ...more: readonly string[]) => {
    const metric = spelled(name) + suffix;
    named.push(metric);
    const labelNames = [...LABEL_NAMES, ...more].map(spelled);
    return { name: metric, help: description, labelNames, registers: [register] };
  };
  const histogram = (metric: Metric, ...more: readonly string[]) => {
    const made = new Histogram({ ...settings(metric, '_seconds', ...more), buckets: [...buckets] });
    return (seconds: number, labels: Labels) => made.observe(spelledLabels(labels), seconds);
  };
  const counter = (metric: Metric, ...more: readonly string[]) => {
    const made = new Counter(settings(metric, '_total', ...more));
    return (labels: Labels, by?: number) => made.inc(spelledLabels(labels), by);
  };
  const gauge = (metric: Metric, tally: Pick<Tally<Observed>, 'count'>) =>
    new Gauge({
      ...settings(metric, ''),
      collect() {
        for (const { labels, count } of tally.count()) this.set(spelledLabels(labels), count);
      },
    });
  const measurements = new Measurements(
    {
      recordWait: histogram(METRICS.waitTime, 'error.type'),
      recordHold: histogram(METRICS.holdTime),
      countAcquired: counter(METRICS.acquired),
      countTimeout: counter(METRICS.timeouts),
      countLost: counter(METRICS.lost, 'holdfast.reason'),
      countRefusal: counter(METRICS.refusals),
      countRenewalFailure: counter(METRICS.renewalFailures),
    },
    nameOf,
  );
  gauge(METRICS.holds, measurements.holds);
  gauge(METRICS.waiters, measurements.waiters);
  return {
    countRefusal: (of) => measurements.countRefusal(of),
    stop: () => {
      measurements.stop();
      for (const name of named) register.removeSingleMetric(name);
    },
  };
}
