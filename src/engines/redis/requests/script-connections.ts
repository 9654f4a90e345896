import type { Client } from '../../../core/client.ts';
import type { RedisDriver } from '../driver.ts';
import type { Confirming } from './confirming.ts';

/** The connections that carry scripts: the client's, and our own for scripts that replicas must confirm. */
export class ScriptConnections {
  readonly driver: RedisDriver;
  readonly confirming: Confirming | undefined;
  readonly #client: Client;
  /**
   * How often the client reconnected. ioredis silently sends again what was in flight when its connection broke: each
   * reconnect may be one more copy.
   */
  reconnects = 0;

  constructor(client: Client, driver: RedisDriver, confirming: Confirming | undefined) {
    this.#client = client;
    this.driver = driver;
    this.confirming = confirming;
  }

  /**
   * Whether a command leaves at once. Confirmed commands use connections of their own, about which the client's connection
   * says nothing. Records a missing connection as the store's failure, so that waiters can name a cause: the client itself
   * reports it by events at most.
   */
  isUp(key: string, confirm: boolean): boolean {
    if (confirm && this.confirming !== undefined) return this.confirming.isUp(key);
    const isUp = this.driver.isUp?.(key) !== false;
    if (!isUp && this.#client.storeFailure === undefined) this.#client.noteStoreFailure(noConnection());
    return isUp;
  }

  /** How many connections have come up. The driver of a cluster cannot count them: there the reported reconnects stand in. */
  made(confirm: boolean): number {
    if (confirm && this.confirming !== undefined) return this.confirming.connectionsMade;
    return this.driver.connectionsMade ?? this.reconnects;
  }

  /** Reports a silent server: it may be frozen, and its connection never says that another master has replaced it. */
  suspect(key: string, confirm: boolean, unansweredMs: number): void {
    this.driver.suspect?.(key, unansweredMs);
    if (confirm) this.confirming?.open().then((driver) => driver.suspect?.(key, unansweredMs), ignore);
  }
}

function noConnection(): Error {
  return new Error('the Redis client has no connection');
}

/** A failure to open the connections: the call that sends over them rejects with it. */
function ignore(): void {}
