import { holdFor } from '../hold-for.ts';
import { monotonicUs } from '../monotonic.ts';
import type { RelayEnd } from '../relay-end.ts';
import { pgPool } from './connections.ts';

export const BARE_NOTIFY_RELAY = 'NOTIFY and then UPDATE';

/** Both ends create the table; the second of two concurrent `create table` fails, `if not exists` or not. */
const MADE_ONCE = `
  begin;
  select pg_advisory_xact_lock(1);
  create table if not exists relay (id int primary key, fence bigint not null);
  insert into relay values (1, 0) on conflict do nothing;
  commit`;

/** The least that a hand-over can be made of: one message to the other process, and one change from there. */
export async function bareNotifyRelay(port: number): Promise<RelayEnd> {
  const pool = await pgPool(port);
  await pool.query(MADE_ONCE);
  const change = { name: 'relay', text: 'update relay set fence = fence + 1 where id = $1', values: [1] };
  const listener = await pool.connect();
  await listener.query('listen relay');
  let entering: Promise<number> | undefined;
  return {
    hold: async () => undefined,
    ask: async () => {
      entering = new Promise((resolve, reject) => {
        listener.once('notification', () => {
          pool.query(change).then(() => resolve(monotonicUs()), reject);
        });
      });
    },
    letGo: async (afterMs) => {
      await holdFor(afterMs);
      const sinceUs = monotonicUs();
      await pool.query('notify relay');
      return sinceUs;
    },
    entered: async () => (await entering) ?? Number.NaN,
    giveBack: async () => undefined,
  };
}
