import type { Meter, ObservableResult } from '@opentelemetry/api';
import type { NameOf, Observed } from '../telemetry/labels.ts';
import { type Count, Measurements } from '../telemetry/measurements.ts';
import { BOUNDS, type Metric, METRICS } from '../telemetry/metrics.ts';
import type { Tally } from '../telemetry/tally.ts';

/** Measures with instruments of this meter. */
export function meter(of: Meter, nameOf: NameOf | undefined): Pick<Measurements, 'countRefusal' | 'stop'> {
  const histogram = ({ name, ...about }: Metric) => {
    const made = of.createHistogram(name, { ...about, advice: { explicitBucketBoundaries: BOUNDS } });
    return made.record.bind(made);
  };
  const counter = ({ name, ...about }: Metric): Count => {
    const made = of.createCounter(name, about);
    return (labels, by = 1) => made.add(by, labels);
  };
  const measurements = new Measurements(
    {
      recordWait: histogram(METRICS.waitTime),
      recordHold: histogram(METRICS.holdTime),
      countAcquired: counter(METRICS.acquired),
      countTimeout: counter(METRICS.timeouts),
      countLost: counter(METRICS.lost),
      countRefusal: counter(METRICS.refusals),
      countRenewalFailure: counter(METRICS.renewalFailures),
    },
    nameOf,
  );
  const observe = ({ name, ...about }: Metric, tally: Pick<Tally<Observed>, 'count'>): (() => void) => {
    const made = of.createObservableUpDownCounter(name, about);
    const tell = (result: ObservableResult): void => {
      for (const { labels, count } of tally.count()) result.observe(count, labels);
    };
    made.addCallback(tell);
    return () => made.removeCallback(tell);
  };
  const ends = [observe(METRICS.holds, measurements.holds), observe(METRICS.waiters, measurements.waiters)];
  return {
    countRefusal: (refused) => measurements.countRefusal(refused),
    stop: () => {
      measurements.stop();
      for (const end of ends) end();
    },
  };
}
