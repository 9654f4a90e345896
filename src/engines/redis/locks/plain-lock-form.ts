import { protocolTraits } from '../../../spi/engine/protocol-traits.ts';
import type { Reply } from '../driver.ts';
import type { LockForm } from './lock-protocol.ts';
import type { RedisContext } from '../redis-context.ts';
import { lockAcquire, lockForce, lockRelease, lockReleaseLater } from '../scripts.generated.ts';
import { ceilMs } from '../requests/script.ts';
import { minHoldArguments } from './min-hold-arguments.ts';

const releasedTo = (receivers: number): readonly Reply[] => ['released', receivers];

/** The plain lock: Redisson's `RLock` and `RFencedLock`. One channel reports a release to all waiters. */
export function plainLockForm({
  scripts,
  channels,
  keys,
  pubSub,
  fenceRetentionMs: retentionMs,
}: RedisContext): LockForm {
  const channelOf = (name: string) => keys.lock(name).channel;
  return {
    kind: 'lock',
    channel: channelOf,
    tellsOnlyOthers: true,
    acquire: (name, { owner, fences, leaseMs, minHoldMs = 0 }, notAfterMs) => {
      const { lock, token, marks } = keys.lock(name);
      const remainingMs = ceilMs(Math.max(leaseMs, minHoldMs));
      const { source, command } = lockAcquire(
        { lock, token, mark: marks + owner },
        { owner, leaseMs: remainingMs, fences, notAfterMs, retentionMs },
      );
      const expandReply = (fence: number) => ['granted', Math.floor(fence / 1000), remainingMs, fence];
      return { source, command, expandReply };
    },
    release: (name, { owner, minHold }, tombstoneMs, { publish }) => {
      const { lock, channel, marks } = keys.lock(name);
      const args = { owner, tombstoneMs, publish, channel };
      // Without a possible copy there is nothing to mark, and a key that the script ignores need not be built or sent.
      const mark = tombstoneMs > 0 ? marks + owner : lock;
      const { source, command } =
        minHold === undefined
          ? lockRelease({ lock, mark }, args)
          : lockReleaseLater({ lock, mark }, { ...args, ...minHoldArguments(minHold) });
      return { source, command, expandReply: releasedTo };
    },
    force: (name, expected, { mark, notAfterMs, markMs }, publish) =>
      lockForce(
        { lock: keys.of(name), token: keys.token(name), mark },
        { ...expected, notAfterMs, markMs, retentionMs, publish, channel: channelOf(name) },
      ),
    waiters: (name) => channels.listenerCount(channelOf(name)),
    traits: protocolTraits({ sawOtherHolder: (name) => channels.heardOthers(channelOf(name)) }),
    watch: async (name, _owner, heard) => {
      const { subscribe } = pubSub.known ?? (await pubSub.get(() => scripts.subject('lock', name)));
      return channels.watch(subscribe, channelOf(name), heard, scripts.subject('lock', name));
    },
  };
}
