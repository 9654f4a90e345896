import type { Client } from '../../../core/client.ts';
import { ruleForChannel } from '../requests/server-errors.ts';

const CODE = 'HOLDFAST_CHANNELS';

/**
 * Warns of a user who may have locks and may not tell of them: a new user of Redis 7 has no channel at all unless one is
 * named. What is given back is free all the same, but those who wait for it find that out by asking, seconds later.
 */
export function warnOfChannels({ closed }: Client, channel: string): void {
  if (closed) return;
  process.emitWarning(
    `The Redis user of this connection may not use the channel ${JSON.stringify(channel)}, by which waiters hear of a release. ${ruleForChannel(channel)}`,
    { type: 'HoldfastWarning', code: CODE },
  );
}
