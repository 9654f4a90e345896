import type { MysqlSynchronizers } from 'holdfast/mysql';
import type { PostgresSynchronizers } from 'holdfast/postgres';

/** An ORM with locks over it. */
export interface OpenedOrm {
  readonly locks: PostgresSynchronizers | MysqlSynchronizers;
  /** The write that the page of the ORM shows, in a transaction of the ORM. */
  readonly addFenced: (id: number, amount: number, fence: bigint) => Promise<boolean>;
  /** Changes account 1 in a transaction of the ORM, does the work while that is open, and throws {@link ROLL_BACK} in it. */
  readonly rollBack: (work: () => Promise<void>) => Promise<unknown>;
  readonly close: () => Promise<unknown>;
}

/** What an ORM gets for its locks, whichever the engine. */
export interface OrmSettings {
  readonly tablePrefix?: string;
  readonly renewalLeaseMs?: number;
  readonly commandTimeoutMs?: number;
  readonly pollMs?: number;
}

/** How a test opens an ORM. */
export interface Orm {
  /** Whether its pool lends a connection to listen on: a release then wakes waiters by a notification. */
  readonly hears: boolean;
  open(url: string, settings: OrmSettings): Promise<OpenedOrm> | OpenedOrm;
}

export const ROLL_BACK = new Error('rolled back, as the test wants it');
