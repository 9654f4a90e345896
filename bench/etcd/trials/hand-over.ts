import { aheadOf } from '../../ahead.ts';
import { handOverAfter, handOverColumns } from '../../hand-over.ts';
import { ofDurableHandOvers } from '../../paces.ts';
import type { Promised, Trial } from '../../trial.ts';
import { LIST_RELAY_OF_ETCD, WATCH_RELAY_OF_ETCD } from '../bare-watch-relay.ts';
import { GO } from '../go.ts';
import { etcd3 } from '../libraries/etcd3.ts';
import { holdfastFairOnEtcd, holdfastOnEtcd } from '../libraries/holdfast.ts';

const ours = holdfastOnEtcd.name;
const fair = holdfastFairOnEtcd.name;
/** With a list, because the fence is its revision. */
const floor = LIST_RELAY_OF_ETCD;

/** Joining the line is a write, which waits for the disk, as on ZooKeeper. */
const HELD = { ms: 15, warmUpMs: 10 };

function nearTheFloor(contestant: string): Promised {
  return {
    text: `p50, ${contestant} to ${floor}`,
    of: [contestant, floor],
    value: (figureOf) => figureOf(contestant, 'p50 µs') / figureOf(floor, 'p50 µs'),
    bound: { atMost: 1.3 },
    over: 'median',
  };
}

export const handOverOnEtcd: Trial = {
  name: 'hand-over between processes',
  engine: 'etcd',
  contestants: [WATCH_RELAY_OF_ETCD, floor, ours, fair, etcd3.name, GO].map((name) =>
    handOverAfter(HELD, name),
  ),
  columns: handOverColumns,
  promises: [...[ours, fair].map(nearTheFloor), aheadOf(ours, [etcd3.name, GO], 'p50 µs', 'less', { floor })],
  pace: ofDurableHandOvers,
  openMs: 40_000,
  story: {
    about:
      'One process gives a lock back and another waits for it: the time from the call of `release` to the entry of the next, in ' +
      'which all stand still. The floor is a key that one process deletes and the other watches. What the lists cost that prove the hold ' +
      'is the second floor: their revision is the fence, and Go reads its own key as well. `etcd3` has no lock that waits, so its caller ' +
      'tries again at once.',
    figure: 'p50 µs',
    better: 'less',
    ours,
    floors: [WATCH_RELAY_OF_ETCD, floor],
  },
};
