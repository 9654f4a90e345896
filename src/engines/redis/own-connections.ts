import type { Confirming } from './requests/confirming.ts';
import type { RedisDriver } from './driver.ts';

/** Connections for commands that replicas must confirm: a WAIT blocks every command behind it on its connection. */
export class OwnConnections implements Confirming {
  readonly replicas: Confirming['replicas'];
  reconnects = 0;
  readonly #driver: RedisDriver;
  #opening: Promise<RedisDriver> | undefined;
  #opened: RedisDriver | undefined;

  constructor(driver: RedisDriver, replicas: Confirming['replicas']) {
    this.#driver = driver;
    this.replicas = replicas;
  }

  readonly open = (): Promise<RedisDriver> => {
    if (this.#opening === undefined) {
      const opening = this.#duplicate();
      opening.catch(() => (this.#opening = undefined));
      this.#opening = opening;
    }
    return this.#opening;
  };

  isUp(key: string): boolean {
    return this.#opened !== undefined && this.#opened.isUp?.(key) !== false;
  }

  /** The first opening counts: a command that waited for it has left with it. */
  get connectionsMade(): number {
    return this.#opened === undefined ? 0 : 1 + (this.#opened.connectionsMade ?? this.reconnects);
  }

  async #duplicate(): Promise<RedisDriver> {
    const driver = await this.#driver.duplicate();
    driver.onReconnect(() => this.reconnects++);
    this.#opened = driver;
    return driver;
  }

  async close(): Promise<void> {
    try {
      await (await this.#opening)?.close();
    } catch {
      // The connections were never open.
    }
  }
}
