import type { Confirming } from './requests/confirming.ts';
import type { RedisDriver } from './driver.ts';

/** Connections for commands that replicas must confirm: the wait for them would hold up everything else behind it. */
export class OwnConnections implements Confirming {
  readonly replicas: Confirming['replicas'];
  reconnects = 0;
  readonly #driver: RedisDriver;
  #opening: Promise<RedisDriver> | undefined;

  constructor(driver: RedisDriver, replicas: Confirming['replicas']) {
    this.#driver = driver;
    this.replicas = replicas;
  }

  readonly driver = (): Promise<RedisDriver> => {
    if (this.#opening === undefined) {
      const opening = this.#opened();
      opening.catch(() => (this.#opening = undefined));
      this.#opening = opening;
    }
    return this.#opening;
  };

  async #opened(): Promise<RedisDriver> {
    const driver = await this.#driver.duplicate();
    driver.onReconnect(() => this.reconnects++);
    return driver;
  }

  async close(): Promise<void> {
    try {
      await (await this.#opening)?.close();
    } catch {
      // They were never open.
    }
  }
}
