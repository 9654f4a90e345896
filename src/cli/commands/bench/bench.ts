import { cpus } from 'node:os';
import { readDuration } from '../../duration.ts';
import type { Command } from '../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { withLocks } from '../../queries/with-locks.ts';
import { print } from '../../output/output.ts';
import { table } from '../../output/table.ts';
import { UsageError } from '../../usage-error.ts';
import { measureHandOver, type Measurement, measureSideBySide, measureUncontended } from './measurements.ts';

const USUAL_MS = 2_000;
const LEAST_MS = 100;

/** Measures the engine at hand. It is small and says so: one process, a few seconds, whatever else the machine does. */
export const bench: Command = ({ options }, address) => {
  const time = options.get('time');
  const forMs = time === undefined ? USUAL_MS : readDuration(time, '--time');
  if (forMs < LEAST_MS) throw new UsageError('--time must be 100ms or more.');
  return withLocks(address, (locks) =>
    withLocks(address, async (others) => {
      const all = [
        await measureUncontended(locks, forMs),
        await measureHandOver(locks, others, forMs),
        await measureSideBySide(locks, forMs),
      ];
      if (options.has('json'))
        for (const one of all) print(JSON.stringify({ engine: locks.label, ...figuresOf(one) }));
      else print(report(locks.label, all).join('\n'));
      return EXIT.ok;
    }),
  );
};

function figuresOf({ what, unit, times, perSecond }: Measurement) {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
  return {
    what,
    unit,
    count: times.length,
    p50Ms: toMicroseconds(at(0.5)),
    p99Ms: toMicroseconds(at(0.99)),
    maxMs: toMicroseconds(at(1)),
    ...(perSecond !== undefined && { perSecond: Math.round(perSecond) }),
  };
}

/** A measurement over a clock is good to a microsecond at best. */
function toMicroseconds(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function report(engine: string, all: readonly Measurement[]): readonly string[] {
  const rows = all.map((one) => {
    const { what, unit, count, p50Ms, p99Ms, maxMs, perSecond } = figuresOf(one);
    return [what, unit, String(count), ms(p50Ms), ms(p99Ms), ms(maxMs), perSecond?.toFixed(0) ?? ''];
  });
  return [
    `${engine}, from this machine: ${cpus().length} cores, Node ${process.versions.node}`,
    ...table(
      [
        { title: '' },
        { title: '' },
        { title: 'TIMES', align: 'right' },
        { title: 'P50', align: 'right' },
        { title: 'P99', align: 'right' },
        { title: 'MOST', align: 'right' },
        { title: 'PER SECOND', align: 'right' },
      ],
      rows,
    ),
    'Two clients in one process. What else the machine does is in these figures, and the network is.',
  ];
}

function ms(value: number): string {
  return Number.isNaN(value) ? '-' : `${value.toFixed(value < 10 ? 2 : 0)} ms`;
}
