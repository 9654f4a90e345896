import type { Timer } from '../../../spi/clock.ts';
import type { SubscriptionMode } from '../driver.ts';

/** Called with each message. Without words after a gap, in which any message may have been missed. */
export type MessageListener = (message: string, channel: string) => void;

/** One channel or pattern that this process is subscribed to, or on its way to. */
export class ChannelEntry {
  readonly mode: SubscriptionMode;
  readonly source: string;
  readonly listeners = new Set<MessageListener>();
  confirmed = false;
  /** Why the user of this connection may not hear it. */
  refusal: unknown;
  linger: Timer | undefined;
  /** How many messages of our own are on their way back to us. */
  echoes = 0;
  /** A message of another client has come since we last sent one. */
  heardOthers = false;
  /** Waiters until the server has confirmed or refused it. */
  readonly awaited = new Set<() => void>();

  constructor(mode: SubscriptionMode, source: string) {
    this.mode = mode;
    this.source = source;
  }

  /** A message of our own goes out. Returns how to take that back if none was sent. */
  expectEcho(): () => void {
    this.echoes++;
    this.heardOthers = false;
    return () => {
      if (this.echoes > 0) this.echoes--;
    };
  }

  deliver(message: string, channel: string): void {
    if (this.echoes > 0) {
      this.echoes--;
      return;
    }
    this.heardOthers = true;
    for (const listener of this.listeners) listener(message, channel);
  }

  /** Messages may have been missed: each listener looks for itself. */
  tellOfGap(): void {
    for (const listener of this.listeners) listener('', '');
  }

  /** The server has confirmed or refused it. */
  settle(): void {
    for (const finish of this.awaited) finish();
  }
}
