import { aheadOf } from '../../ahead.ts';
import { timedPairColumns, timedPairs } from '../../timed-pairs.ts';
import type { Trial } from '../../trial.ts';
import { CURATOR, curatorContestant } from '../curator.ts';
import { bare } from '../libraries/bare.ts';
import { holdfast } from '../libraries/holdfast.ts';

const ours = holdfast.name;
const floor = bare.name;

/**
 * Rounds twice as long as those of the databases. A stall of the disk in the last pair of a round is charged to every contestant
 * alike; Java leaves that pair out of its count, and it is one of some 150 in a round of this length.
 */
const besideJava = {
  full: { rounds: 41, warmUpRounds: 20, roundMs: 300 },
  quick: { rounds: 5, warmUpRounds: 6, roundMs: 100 },
};

export const uncontendedPair: Trial = {
  name: 'uncontended pair',
  engine: 'zookeeper',
  contestants: [
    ...[bare, holdfast].map(timedPairs),
    curatorContestant(1, ({ sections, elapsedMs }) => ({ 'pairs/s': (sections / elapsedMs) * 1000 })),
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
    aheadOf(ours, [CURATOR], 'pairs/s', 'more', { floor }),
  ],
  pace: besideJava,
  openMs: 2000,
  story: {
    about:
      'A lock that no other caller wants is taken and given back, again and again: the price that every critical section pays. ' +
      'The floor creates a ticket and lists its line in one round trip, and deletes the ticket in another. Curator lists the ' +
      'line only when it knows its ticket, which is a round trip more.',
    figure: 'pairs/s',
    better: 'more',
    ours,
    floors: [floor],
  },
};
