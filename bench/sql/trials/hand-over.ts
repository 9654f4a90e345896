import { handOver, handOverColumns } from '../../hand-over.ts';
import { ofHandOvers } from '../../paces.ts';
import type { Story } from '../../story.ts';
import type { Trial } from '../../trial.ts';
import { BARE_NOTIFY_RELAY } from '../bare-notify-relay.ts';
import { holdfastLibsql, holdfastMysql2, holdfastPg } from '../libraries/holdfast.ts';
import { properLockfile, properLockfileFast } from '../libraries/proper-lockfile.ts';

const common = {
  name: 'hand-over between processes',
  columns: handOverColumns,
  pace: ofHandOvers,
  openMs: 13_000,
};
const HANDED_OVER =
  'One process gives a lock back and another waits for it: the time from the call of `release` to the entry of the next, in ' +
  'which all stand still.';

function story(contestant: string, how: string): Story {
  return { about: `${HANDED_OVER} ${how}`, figure: 'p50 µs', better: 'less', ours: contestant };
}

const ours = holdfastPg.name;

/** In a file of SQLite there is no floor to compare with: it sends no message when it changes. */
export const sqliteHandOver: Trial = {
  ...common,
  engine: 'sqlite',
  contestants: [holdfastLibsql, properLockfile, properLockfileFast].map(({ name }) => handOver(name)),
  // The other waits for a second at least.
  quickly: [holdfastLibsql.name, properLockfileFast.name],
  promises: [],
  story: story(
    holdfastLibsql.name,
    'A file sends no message when it changes: processes tell each other over a socket.',
  ),
};

export const postgresHandOver: Trial = {
  ...common,
  engine: 'postgres',
  contestants: [BARE_NOTIFY_RELAY, ours].map(handOver),
  promises: [
    {
      text: `p50, ${ours} to ${BARE_NOTIFY_RELAY}`,
      of: [ours, BARE_NOTIFY_RELAY],
      value: (figureOf) => figureOf(ours, 'p50 µs') / figureOf(BARE_NOTIFY_RELAY, 'p50 µs'),
      bound: { atMost: 3 },
      over: 'median',
    },
  ],
  story: {
    ...story(ours, 'The floor is a NOTIFY and an UPDATE, the least that it can be made of.'),
    floors: [BARE_NOTIFY_RELAY],
  },
};

/** MariaDB sends no message either, and is asked from time to time. */
export const mysqlHandOver: Trial = {
  ...common,
  engine: 'mysql',
  contestants: [handOver(holdfastMysql2.name)],
  promises: [],
  story: story(holdfastMysql2.name, 'MariaDB sends no message, and has to be asked from time to time.'),
};
