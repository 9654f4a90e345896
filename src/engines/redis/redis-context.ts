import type { Client } from '../../core/client.ts';
import type { Scripts } from './requests/scripts.ts';
import type { Channels } from './messages/channels.ts';
import type { Keys } from './keys.ts';
import type { PubSubMode } from './messages/pub-sub-mode.ts';

/** What the protocols of one engine object share. */
export interface RedisContext {
  readonly client: Client;
  readonly scripts: Scripts;
  readonly channels: Channels;
  readonly keys: Keys;
  readonly pubSub: PubSubMode;
  /** How long the last fence of a name is remembered after its last grant; 0 for ever. */
  readonly fenceRetentionMs: number;
  /** What Java's waiters of a fair lock contribute to its deadlines: its `fairLockWaitTimeout`. */
  readonly fairLockWaitMs: number;
  /** After how long without a listener a waiter of Java is passed over in a fair lock's line; 0 for never. */
  readonly foreignAbsentMs: number;
}
