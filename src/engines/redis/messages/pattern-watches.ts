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
 * Watches one of many channels by a pattern that all of them match, so that one subscription serves all; by its name where
 * the ACL forbids that: Redis permits a pattern only if the ACL of the user lists the same pattern.
 */
export class PatternWatches {
  readonly #watch: Watch;
  #areForbidden = false;
  /** Switches each watch by a pattern to a watch by name. */
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
   * Switches each watch to its name, because the server has refused a pattern. The race: the refusal may arrive late, when the
   * waiter no longer waits for its subscription but still for the lock. A waiter that still waits for the subscription gets a
   * failure by its own promise.
   */
  forbid(): void {
    this.#areForbidden = true;
    for (const byName of this.#byName) byName().catch(() => undefined);
    this.#byName.clear();
  }
}
