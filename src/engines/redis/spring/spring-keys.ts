import { argumentRangeError, type ErrorSubject } from '../../../spi/errors.ts';
import { keySlot } from '../drivers/cluster/key-slot.ts';
import { prefixed, escapeGlob } from '../keys.ts';

/**
 * All keys and channels of the locks of one registry: Spring's layout, and two keys of this library for each lock. The
 * engine's key prefix is not applied, because the key of the registry is a prefix already.
 */
export class SpringKeys {
  readonly registryKey: string;

  constructor(registryKey: string) {
    this.registryKey = registryKey;
  }

  lock(lockKey: string): string {
    return `${this.registryKey}:${lockKey}`;
  }

  /** The key of a lock's last fence. Spring has no fences, and does not know the key. */
  token(lock: string): string {
    return prefixed('holdfast_spring_token', lock);
  }

  mark(lock: string, id: string): string {
    return `${prefixed('holdfast_mark', lock)}:${id}`;
  }

  /** The channel of a release since Spring Integration 6.4.8, 6.5.3 and 7.0.0. */
  channel(lock: string): string {
    return `${this.oldChannel}:${lock}`;
  }

  /** The pattern that waiters of any lock of the registry subscribe to. */
  get channels(): string {
    return `${escapeGlob(`${this.oldChannel}:`)}*`;
  }

  /** The channel of older versions, one for all locks of the registry. */
  get oldChannel(): string {
    return `${this.registryKey}-channel`;
  }

  /**
   * Refuses a key on a cluster whose companions, or whose channel if it has one, lie in another slot. Redis itself does
   * not require that of a channel; the versions of Spring that pass the channel as a key do, and so do servers that assign
   * all channels to slots.
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
