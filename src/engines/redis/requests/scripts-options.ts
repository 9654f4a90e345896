import type { Client } from '../../../core/client.ts';
import type { RedisDriver } from '../driver.ts';
import type { Confirming } from './confirming.ts';

/** What `Scripts` sends by. */
export interface ScriptsOptions {
  readonly client: Client;
  readonly driver: RedisDriver;
  readonly commandTimeoutMs: number;
  /** Commands that replicas must confirm use connections of their own: a WAIT blocks every command behind it. */
  readonly confirming: Confirming | undefined;
  /** Called once, before the first script is sent. Must not throw; its result is not awaited. */
  readonly onFirstUse?: () => void;
}
