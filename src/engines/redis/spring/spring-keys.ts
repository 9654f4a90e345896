import { argumentRangeError, type ErrorSubject } from '../../../spi/errors.ts';
import { keySlot } from '../drivers/cluster/key-slot.ts';
import { prefixed, escapeGlob } from '../keys.ts';

/**
 * All names in Redis that belong to the locks of one registry: its own layout, and two keys of ours beside each lock.
 * The engine's key prefix is not among them, because the key of the registry is one already.
 */
export class SpringKeys {
  readonly registryKey: string;

  constructor(registryKey: string) {
    this.registryKey = registryKey;
  }

  lock(lockKey: string): string {
    return `${this.registryKey}:${lockKey}`;
  }

  /** The last fence of a lock. Java has none, and does not know the key. */
  token(lock: string): string {
    return prefixed('holdfast_spring_token', lock);
  }

  mark(lock: string, id: string): string {
    return `${prefixed('holdfast_mark', lock)}:${id}`;
  }

  /** Where releases are told since 6.4.8, 6.5.3 and 7.0.0. */
  channel(lock: string): string {
    return `${this.oldChannel}:${lock}`;
  }

  /** Who waits for any lock of the registry listens to all of these. */
  get channels(): string {
    return `${escapeGlob(`${this.oldChannel}:`)}*`;
  }

  /** Where they were told before, for all locks of the registry. */
  get oldChannel(): string {
    return `${this.registryKey}-channel`;
  }

  /**
   * Refuses a key on a cluster whose companions, or whose channel if it has one, lie in another slot. Redis itself does
   * not ask this of the channel; the versions of Spring that pass it as a key do, and so do servers that keep all
   * channels in slots.
   */
  checkOneSlot(lock: string, told: boolean, subject: ErrorSubject): void {
    const all = [lock, this.token(lock), ...(told ? [this.channel(lock)] : [])];
    if (new Set(all.map(keySlot)).size === 1) return;
    throw argumentRangeError(
      `${subject.resource}: on a Redis cluster its keys and its channel would be spread over several slots. Put one well-formed {tag} into the key of the lock, the same in Java.`,
      subject,
    );
  }
}
