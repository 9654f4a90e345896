import type { RedisDriver } from '../driver.ts';
import type { Emitter } from './subscriptions/listening.ts';

/** A client of our own on its way to a server. */
export interface Opening {
  /** Whoever tells of errors on the way. */
  readonly emitter: Emitter;
  connect(): Promise<RedisDriver>;
  /** Leaves nothing behind. */
  abandon(): Promise<void> | void;
}
