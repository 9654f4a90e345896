import { aheadOf } from '../../ahead.ts';
import { timedPairColumns, timedPairs } from '../../timed-pairs.ts';
import type { Trial } from '../../trial.ts';
import { GO, goContestant } from '../go.ts';
import { bareTransactions } from '../libraries/bare.ts';
import { etcd3 } from '../libraries/etcd3.ts';
import { holdfastOnEtcd } from '../libraries/holdfast.ts';

const ours = holdfastOnEtcd.name;
const floor = bareTransactions.name;

export const uncontendedPairOnEtcd: Trial = {
  name: 'uncontended pair',
  engine: 'etcd',
  contestants: [
    ...[bareTransactions, holdfastOnEtcd, etcd3].map(timedPairs),
    goContestant(1, ({ sections, elapsedMs }) => ({ 'pairs/s': (sections / elapsedMs) * 1000 })),
  ],
  columns: timedPairColumns,
  promises: [
    {
      text: `p50 of a pair, ${ours} to ${floor}`,
      of: [ours, floor],
      value: (figureOf) => figureOf(ours, 'p50 µs') / figureOf(floor, 'p50 µs'),
      bound: { atMost: 1.3 },
      over: 'median',
    },
    aheadOf(ours, [etcd3.name, GO], 'pairs/s', 'more', { floor }),
  ],
  pace: {
    full: { rounds: 41, warmUpRounds: 20, roundMs: 300 },
    quick: { rounds: 5, warmUpRounds: 6, roundMs: 100 },
  },
  openMs: 1000,
  story: {
    about:
      'A lock that no other caller wants is taken and given back, again and again: the price that every critical section pays. ' +
      'The floor puts a key and lists its line in one transaction, and deletes the key in another. Go does the same; `etcd3` ' +
      'asks for a lease with each lock, and ends it.',
    figure: 'pairs/s',
    better: 'more',
    ours,
    floors: [floor],
  },
};
