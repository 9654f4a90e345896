import type { Database, OpenedLocks } from './databases.ts';

/** What cases about one server share. */
export interface Ground {
  readonly database: Database;
  readonly server: Awaited<ReturnType<Database['start']>>;
  /** May do everything, on connections of its own. */
  readonly admin: OpenedLocks;
}
