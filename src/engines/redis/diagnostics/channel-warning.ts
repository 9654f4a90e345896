import type { Client } from '../../../core/client.ts';
import { ruleForChannel } from '../requests/server-errors.ts';

const CODE = 'HOLDFAST_CHANNELS';

/**
 * Warns of an ACL that permits the keys of locks and not their channels: a new user of Redis 7 has no channels unless its
 * rules name some. A release succeeds all the same, but waiters find it by polling, seconds later.
 */
export function warnOfChannels({ closed }: Client, channel: string): void {
  if (closed) return;
  process.emitWarning(
    `The Redis user of this connection may not use the channel ${JSON.stringify(channel)}, which wakes waiters after a release. ${ruleForChannel(channel)}`,
    { type: 'HoldfastWarning', code: CODE },
  );
}
