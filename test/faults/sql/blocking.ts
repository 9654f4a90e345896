/** How each database keeps all others from our table, and how many statements wait for it. */
export const BLOCKING = {
  postgres: {
    lock: 'begin; lock table holdfast_cells in access exclusive mode',
    unlock: 'rollback',
    waiting: `select count(*) from pg_stat_activity where wait_event_type = 'Lock'`,
    old: `select count(*) from pg_stat_activity where wait_event_type = 'Lock' and clock_timestamp() - query_start > interval '5 s'`,
  },
  mysql: {
    lock: 'lock tables holdfast_cells write',
    unlock: 'unlock tables',
    waiting: `select count(*) from information_schema.processlist where state like 'Waiting for table%'`,
    old: `select count(*) from information_schema.processlist where state like 'Waiting for table%' and time_ms > 5000`,
  },
} as const;
