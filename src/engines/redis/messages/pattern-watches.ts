import type { ErrorSubject } from '../../../spi/errors.ts';
import type { Unwatch } from '../../../spi/engine/protocol.ts';
import type { SubscriptionMode } from '../driver.ts';
import type { MessageListener } from './channel-entry.ts';

type Watch = (
  mode: SubscriptionMode,
  source: string,
  heard: MessageListener,
  about?: ErrorSubject,
) => Promise<Unwatch>;

/**
 * Watches one of many channels by a pattern that all of them match, so that one subscription serves all; by its name for a
 * user that may not: Redis permits a pattern only if the same pattern stands among the user's permissions.
 */
export class PatternWatches {
  readonly #watch: Watch;
  #areForbidden = false;
  /** How each watch by a pattern goes on by name. */
  readonly #byName = new Set<() => Promise<void>>();

  constructor(watch: Watch) {
    this.#watch = watch;
  }

  async watch(
    pattern: string,
    channel: string,
    heard: (message: string) => void,
    about?: ErrorSubject,
  ): Promise<Unwatch> {
    if (this.#areForbidden) return this.#watch('channel', channel, heard, about);
    const unwatches: Unwatch[] = [];
    let watching = true;
    const keep = (unwatch: Unwatch): void => void (watching ? unwatches.push(unwatch) : unwatch());
    let named: Promise<void> | undefined;
    const byName = (): Promise<void> => (named ??= this.#watch('channel', channel, heard, about).then(keep));
    this.#byName.add(byName);
    const listener: MessageListener = (message, to) => {
      if (to === channel || to === '') heard(message);
    };
    keep(await this.#watch('pattern', pattern, listener));
    const unwatchAll = (): void => {
      watching = false;
      this.#byName.delete(byName);
      for (const unwatch of unwatches) unwatch();
    };
    try {
      if (this.#areForbidden) await byName();
    } catch (error) {
      unwatchAll();
      throw error;
    }
    return unwatchAll;
  }

  /**
   * The server has refused a pattern. It may do so late, when the waiter has stopped waiting for its subscription and not for
   * the lock: each watch goes on by name. A waiter that still waits for it hears of a failure by its own promise.
   */
  forbid(): void {
    this.#areForbidden = true;
    for (const byName of this.#byName) byName().catch(() => undefined);
    this.#byName.clear();
  }
}
