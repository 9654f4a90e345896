import type { ClientMethod } from '../../../spi/client-method.ts';

/** A `Pool` of pg, as far as it is recognised. A single `Client` is none: its connection would be shared with your transactions. */
export interface PgPoolLike {
  readonly connect: ClientMethod;
  readonly query: ClientMethod;
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** The `sql` of postgres.js, as far as it is recognised. */
export interface PostgresJsLike {
  readonly unsafe: ClientMethod;
  readonly typed: unknown;
  readonly listen: ClientMethod;
  readonly begin: ClientMethod;
  readonly options: object;
}

/** A pool of mysql2, as far as it is recognised: that of `mysql2`, or that of `mysql2/promise`. */
export type Mysql2PoolLike =
  | {
      readonly getConnection: ClientMethod;
      readonly execute: ClientMethod;
      readonly promise: ClientMethod;
      readonly config: object;
    }
  | {
      readonly getConnection: ClientMethod;
      readonly execute: ClientMethod;
      readonly pool: object;
      readonly format: ClientMethod;
    };

/** A pool of mariadb with promises, as far as it is recognised. */
export interface MariadbPoolLike {
  readonly getConnection: ClientMethod;
  readonly execute: ClientMethod;
  readonly batch: ClientMethod;
  readonly activeConnections: ClientMethod;
  readonly taskQueueSize: ClientMethod;
}
