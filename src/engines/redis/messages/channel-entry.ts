import type { Timer } from '../../../spi/clock.ts';
import type { SubscriptionMode } from '../driver.ts';

/** Called with each message, and with empty texts after a gap, in which any message may have been missed. */
export type MessageListener = (message: string, channel: string) => void;

/** One channel or pattern that this process has subscribed to, or is about to. */
export class ChannelEntry {
  readonly mode: SubscriptionMode;
  readonly source: string;
  readonly listeners = new Set<MessageListener>();
  confirmed = false;
  /** The error by which the ACL refused the subscription. */
  refusal: unknown;
  linger: Timer | undefined;
  /** How many messages of this client are on their way back to it. */
  echoes = 0;
  /** Another client has sent a message since this one last did. */
  heardOthers = false;
  /** Ends the wait of each waiter once the server has confirmed or refused the subscription. */
  readonly awaited = new Set<() => void>();

  constructor(mode: SubscriptionMode, source: string) {
    this.mode = mode;
    this.source = source;
  }

  /** Expects the echo of a message of this client. Returns how to cancel that if none was sent. */
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

  /** Messages may have been missed: each listener looks at the server. */
  tellOfGap(): void {
    for (const listener of this.listeners) listener('', '');
  }

  /** Ends all waits: the server has confirmed or refused the subscription. */
  settle(): void {
    for (const finish of this.awaited) finish();
  }
}
