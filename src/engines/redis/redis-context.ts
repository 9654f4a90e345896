import type { Client } from '../../core/client.ts';
import type { Scripts } from './requests/scripts.ts';
import type { Channels } from './messages/channels.ts';
import type { Keys } from './keys.ts';
import type { PubSubMode } from './messages/pub-sub-mode.ts';

/** The parts that all protocols of one engine object share. */
export interface RedisContext {
  readonly client: Client;
  readonly scripts: Scripts;
  readonly channels: Channels;
  readonly keys: Keys;
  readonly pubSub: PubSubMode;
  /** How long Redis keeps the last fence of a name after its last grant; 0 is without limit. */
  readonly fenceRetentionMs: number;
  /** The same for the states of cells. */
  readonly cellRetentionMs: number;
  /** What each Java waiter adds to the deadlines of a fair lock: Redisson's `fairLockWaitTimeout`. */
  readonly fairLockWaitMs: number;
  /** After how long without a listener the line of a fair lock passes over a Java waiter; 0 is never. */
  readonly foreignAbsentMs: number;
}
