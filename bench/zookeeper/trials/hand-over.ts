import { handOverAfter, handOverColumns } from '../../hand-over.ts';
import { ofDurableHandOvers } from '../../paces.ts';
import type { Promised, Trial } from '../../trial.ts';
import { BARE_LIST_RELAY, BARE_WATCH_RELAY } from '../bare-watch-relay.ts';
import { holdfast, holdfastFair } from '../libraries/holdfast.ts';

const ours = holdfast.name;
const fair = holdfastFair.name;

/**
 * Joining the line is a write, which waits for the disk, and a watch after it. If the lock were released before that, a part of
 * joining would count as hand-over.
 */
const HELD = { ms: 15, warmUpMs: 10 };

function nearTheFloor(contestant: string): Promised {
  return {
    text: `p50, ${contestant} to ${BARE_WATCH_RELAY}`,
    of: [contestant, BARE_WATCH_RELAY],
    value: (figureOf) => figureOf(contestant, 'p50 µs') / figureOf(BARE_WATCH_RELAY, 'p50 µs'),
    bound: { atMost: 1.3 },
    over: 'median',
  };
}

export const handOverOfWatches: Trial = {
  name: 'hand-over between processes',
  engine: 'zookeeper',
  contestants: [BARE_WATCH_RELAY, BARE_LIST_RELAY, ours, fair].map((name) => handOverAfter(HELD, name)),
  columns: handOverColumns,
  promises: [ours, fair].map(nearTheFloor),
  pace: ofDurableHandOvers,
  openMs: 40_000,
  story: {
    about:
      'One process gives a lock back and another waits for it: the time from the call of `release` to the entry of the next, in ' +
      'which all stand still. The floor is a node that one process deletes and the other watches. Curator also lists the line, ' +
      'because the ticket ahead may have gone before its turn: what that costs is the second floor. A waiter of ours knows from ' +
      'its last list that nothing else is ahead.',
    figure: 'p50 µs',
    better: 'less',
    ours,
    floors: [BARE_WATCH_RELAY, BARE_LIST_RELAY],
  },
};
