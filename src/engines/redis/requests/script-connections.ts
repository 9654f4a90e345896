import type { Client } from '../../../core/client.ts';
import type { RedisDriver } from '../driver.ts';
import type { Confirming } from './confirming.ts';

/** The connections that carry scripts: those of the client, and our own for what replicas have to confirm. */
export class ScriptConnections {
  readonly driver: RedisDriver;
  readonly confirming: Confirming | undefined;
  readonly #client: Client;
  /**
   * How often the connections of the client were made anew. ioredis sends again by itself what was under way when its
   * connection broke, and tells nobody: each reconnect may be one more copy.
   */
  reconnects = 0;

  constructor(client: Client, driver: RedisDriver, confirming: Confirming | undefined) {
    this.#client = client;
    this.driver = driver;
    this.confirming = confirming;
  }

  /**
   * Whether a command leaves at once. What replicas confirm goes over connections of its own: that of the client says nothing
   * about them. A client without a connection says so at most by events of its own: here is a cause for the waiters meanwhile.
   */
  isUp(key: string, confirm: boolean): boolean {
    if (confirm && this.confirming !== undefined) return this.confirming.isUp(key);
    const isUp = this.driver.isUp?.(key) !== false;
    if (!isUp && this.#client.storeFailure === undefined) this.#client.storeFailed(noConnection());
    return isUp;
  }

  /** How many connections have come up. A driver that cannot tell, that of a cluster, counts at least what it tells of. */
  made(confirm: boolean): number {
    if (confirm && this.confirming !== undefined) return this.confirming.connectionsMade;
    return this.driver.connectionsMade ?? this.reconnects;
  }

  /** Its server may stand still, and another may have taken its place without this connection ever being told. */
  suspect(key: string, confirm: boolean, unansweredMs: number): void {
    this.driver.suspect?.(key, unansweredMs);
    if (confirm) this.confirming?.open().then((driver) => driver.suspect?.(key, unansweredMs), ignore);
  }
}

function noConnection(): Error {
  return new Error('the Redis client has no connection');
}

/** The connections could not be opened: a caller that sends over them is told. */
function ignore(): void {}
