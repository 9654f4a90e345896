import { handOver, handOverColumns } from '../../hand-over.ts';
import { ofWaiters } from '../../paces.ts';
import type { Trial } from '../../trial.ts';
import { BARE_NOTIFY_RELAY } from '../bare-notify-relay.ts';
import { holdfastLibsql, holdfastMysql2, holdfastPg } from '../libraries/holdfast.ts';

const common = { name: 'hand-over between processes', columns: handOverColumns, pace: ofWaiters };
const ours = holdfastPg.name;

/** In a file of SQLite there is nothing to compare with: nobody tells anybody that it has changed. */
export const sqliteHandOver: Trial = {
  ...common,
  engine: 'sqlite',
  contestants: [handOver(holdfastLibsql.name)],
  promises: [],
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
};

/** MariaDB tells nobody either, and is asked from time to time. */
export const mysqlHandOver: Trial = {
  ...common,
  engine: 'mysql',
  contestants: [handOver(holdfastMysql2.name)],
  promises: [],
};
