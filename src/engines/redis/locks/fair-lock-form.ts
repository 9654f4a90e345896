import { protocolTraits } from '../../../spi/engine/protocol-traits.ts';
import { escapeGlob } from '../keys.ts';
import { busyFor, grantedOf } from './answers.ts';
import type { LockForm } from './lock-protocol.ts';
import type { RedisContext } from '../redis-context.ts';
import {
  fairLockAcquire,
  fairLockForce,
  fairLockRelease,
  fairLockReleaseLater,
} from '../scripts.generated.ts';
import { ceilMs } from '../requests/script.ts';
import { minHoldArguments } from './min-hold-arguments.ts';

/**
 * The fair lock: Redisson's `RedissonFairLock`. Each waiter has a channel of its own, and only the first gets a message:
 * that it may ask or, if it requested a hand-off, that it holds the lock.
 */
export function fairLockForm(parts: RedisContext): LockForm {
  const { scripts, channels, client, keys, pubSub, fenceRetentionMs: retentionMs } = parts;
  const { fairLockWaitMs, foreignAbsentMs } = parts;
  const channelOf = (name: string) => keys.lockChannel(name);
  /** One subscription for all waiters of this client on the lock. */
  const patternOf = (name: string) => `${escapeGlob(`${channelOf(name)}:${client.ids.client}:`)}*`;
  const line = (name: string) => ({
    queue: keys.fairQueue(name),
    deadlines: keys.fairDeadlines(name),
    contributions: keys.fairContributions(name),
  });
  return {
    kind: 'fairLock',
    channel: channelOf,
    read: (reply, { fences, interestMs }) =>
      reply[0] === 'granted' ? grantedOf(reply, fences) : busyFor(reply[2], interestMs),
    acquire: (
      name,
      { owner, fences, leaseMs, minHoldMs = 0, wait, interestMs, handOff = false },
      notAfterMs,
      { publish },
    ) =>
      fairLockAcquire(
        { lock: keys.of(name), token: keys.token(name), ...line(name), mark: keys.mark(name, owner) },
        {
          owner,
          leaseMs: ceilMs(Math.max(leaseMs, minHoldMs)),
          fences,
          wait: wait ? 1 : 0,
          waitMs: ceilMs(interestMs),
          foreignWaitMs: fairLockWaitMs,
          notAfterMs,
          retentionMs,
          publish,
          channel: channelOf(name),
          // No hand-off where replicas confirm: the releasing client does not wait for the replicas of the next owner's grant.
          letIn: handOff && !scripts.replicas.isRequired ? 1 : 0,
          absentMs: foreignAbsentMs,
        },
      ),
    release: (name, { owner, minHold }, tombstoneMs, { publish }) => {
      const mark = keys.mark(name, owner);
      const own = { lock: keys.of(name), token: keys.token(name), ...line(name), mark };
      const args = { owner, tombstoneMs, retentionMs, publish, channel: channelOf(name) };
      if (minHold === undefined) return fairLockRelease(own, args);
      return fairLockReleaseLater(own, { ...args, ...minHoldArguments(minHold) });
    },
    force: (name, expected, { mark, notAfterMs, markMs }, publish) =>
      fairLockForce(
        { lock: keys.of(name), token: keys.token(name), ...line(name), mark },
        { ...expected, notAfterMs, markMs, retentionMs, publish, channel: channelOf(name) },
      ),
    waiters: (_name, inLine) => inLine,
    watch: async (name, owner, heard, handOff) => {
      const { subscribe } = pubSub.known ?? (await pubSub.get(() => scripts.subject('fairLock', name)));
      const own = `${channelOf(name)}:${owner}`;
      // A release that hands off sends the fence to the next owner; Java, and a release without a hand-off, sends 0.
      const deliver = (message: string): void => {
        const fence = Number(message);
        if (Number.isSafeInteger(fence) && fence > 0) handOff?.(fence);
        else heard();
      };
      const about = scripts.subject('fairLock', name);
      // Sharded channels have no patterns.
      if (subscribe === 'shard') return channels.watch(subscribe, own, deliver, about);
      return channels.watchByPattern(patternOf(name), own, deliver, about);
    },
    traits: protocolTraits({
      batchesWaiters: true,
      isSubscribed: (name) => channels.isSubscribed(patternOf(name)),
    }),
  };
}
