import type { RunRecord, TrialRecord } from '../../../bench/run-record.ts';

/** A small run, with everything that a run can have: peers, floors, a lost contest, a broken promise, curves. */
export function recordOf(...trials: TrialRecord[]): RunRecord {
  return {
    date: '2026-02-03T04:05:06.789Z',
    speed: 'quick',
    machine: { node: '20.19.0', cpu: 'A Processor', cores: 2, memoryGb: 4, system: 'Linux 6' },
    versions: { holdfast: '0.1.0', servers: ['Redis 7.0'], libraries: ['peer_one 1.0.0'] },
    leftOut: [],
    trials,
  };
}

type Figures = Readonly<Record<string, readonly (number | null)[]>>;

/** A trial whose contestants are given with their figures. */
export function trialOf(
  contestants: Readonly<Record<string, Figures>>,
  more: Partial<TrialRecord> = {},
): TrialRecord {
  return {
    name: 'pairs',
    engine: 'redis',
    story: {
      about: 'What happens.',
      figure: 'pairs/s',
      better: 'more',
      ours: 'holdfast (c)',
      floors: ['bare (c)'],
    },
    columns: [{ figure: 'pairs/s', digits: 0 }],
    curves: [],
    pace: { rounds: 3, warmUpRounds: 1, roundMs: 500 },
    load: [0.5, 1.25],
    verdicts: [],
    leftOut: [],
    series: Object.entries(contestants).map(([contestant, figures]) => ({ contestant, figures })),
    ...more,
  };
}

/** Three rounds of the same rate. */
export function steady(rate: number): Figures {
  return { 'pairs/s': [rate, rate, rate] };
}
