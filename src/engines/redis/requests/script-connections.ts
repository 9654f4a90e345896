import type { Client } from '../../../core/client.ts';
import type { RedisDriver, Reply } from '../driver.ts';
import type { Effect } from './call.ts';
import type { Confirming } from './confirming.ts';
import { UnsentError } from './unsent-error.ts';

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

  /**
   * Sends a command while the client has no connection, or rejects with an {@link UnsentError} if the server refuses each.
   *
   * A command that the client has keeps waiting there, and no client takes it back: it leaves with the next connection. So a
   * refusal that is found while it waits ends only a command that changes nothing. One that changes something, and of which
   * the caller has heard that nothing was done, would be carried out as soon as the server has room, before its limit (soundness 3).
   */
  async sendWaiting(key: string, command: readonly string[], effect: Effect): Promise<Reply> {
    const { driver } = this;
    if (driver.refusal?.() !== undefined) {
      const refusal = await driver.confirmRefusal?.();
      if (refusal !== undefined) throw new UnsentError(refusal);
    }
    const reply = driver.send(key, command);
    return effect === 'reads' ? this.#unlessRefused(reply) : reply;
  }

  #unlessRefused(reply: Promise<Reply>): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const stop = this.driver.onRefusal?.((refusal) => {
        stop?.();
        reject(new UnsentError(refusal));
      });
      reply.finally(() => stop?.()).then(resolve, reject);
    });
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
