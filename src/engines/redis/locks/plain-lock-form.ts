import { protocolTraits } from '../../../spi/engine/protocol-traits.ts';
import type { Reply } from '../driver.ts';
import type { LockForm } from './lock-protocol.ts';
import type { RedisContext } from '../redis-context.ts';
import {
  lockAcquire,
  lockAcquireWaiting,
  lockForce,
  lockRelease,
  lockReleaseLater,
} from '../scripts.generated.ts';
import { ceilMs } from '../requests/script.ts';
import { busyFor } from './answers.ts';
import type { ListeningPlace } from './crowd-watch.ts';
import { CrowdWatches } from './crowd-watches.ts';
import { inCrowd } from './in-crowd.ts';
import { minHoldArguments } from './min-hold-arguments.ts';

const releasedTo = (receivers: number): readonly Reply[] => ['released', receivers];

/**
 * The plain lock: Redisson's `RLock` and `RFencedLock`. One channel reports a release to all waiters; where many clients wait, a
 * release wakes one of them by a channel of its own.
 */
export function plainLockForm(parts: RedisContext): LockForm {
  const { client, scripts, channels, keys, pubSub, fenceRetentionMs: retentionMs } = parts;
  const channelOf = (name: string) => keys.lock(name).channel;
  const ownChannelOf = (name: string) => `${channelOf(name)}:${client.ids.client}`;
  const watches = new CrowdWatches(client, channels);
  // A server of a cluster counts only its own listeners, but passes plain messages on to those of all others.
  const counts = {
    PUBLISH: scripts.driver.topology === 'cluster' ? '' : 'NUMSUB',
    SPUBLISH: 'SHARDNUMSUB',
  };
  return {
    kind: 'lock',
    channel: channelOf,
    tellsOnlyOthers: true,
    acquire: (name, { owner, fences, leaseMs, minHoldMs = 0, wait }, notAfterMs, { publish }) => {
      const { lock, token, channel, crowd, marks } = keys.lock(name);
      const remainingMs = ceilMs(Math.max(leaseMs, minHoldMs));
      const own = { lock, token, mark: marks + owner };
      const args = { owner, leaseMs: remainingMs, fences, notAfterMs, retentionMs };
      if (wait && watches.asksWhere(name)) {
        const enters = watches.mayEnter(name, ownChannelOf(name)) ? 1 : 0;
        const standing = {
          enters,
          sinceMs: watches.sinceMs(name),
          count: counts[publish],
          channel,
        };
        return lockAcquireWaiting({ ...own, crowd }, { ...args, ...standing });
      }
      const { source, command } = lockAcquire(own, args);
      const expandReply = (fence: number) => ['granted', Math.floor(fence / 1000), remainingMs, fence];
      return { source, command, expandReply };
    },
    busy: (name, reply, { interestMs }) => {
      const busy = busyFor(reply[2], interestMs);
      const where = reply[3];
      if (where === undefined) return busy;
      watches.follow(name, where as ListeningPlace, Number(reply[1]));
      return where === 'lock' ? busy : inCrowd(busy, Number(reply[4]) + 1, client.random.fraction());
    },
    release: (name, { owner, minHold }, tombstoneMs, { publish }) => {
      const { lock, channel, crowd, marks } = keys.lock(name);
      const args = { owner, tombstoneMs, publish, channel };
      // Without a possible copy there is nothing to mark, and a key that the script ignores need not be built or sent.
      const mark = tombstoneMs > 0 ? marks + owner : lock;
      const { source, command } =
        minHold === undefined
          ? lockRelease({ lock, mark, crowd }, args)
          : lockReleaseLater({ lock, mark, crowd }, { ...args, ...minHoldArguments(minHold) });
      return { source, command, expandReply: releasedTo };
    },
    force: (name, expected, { mark, notAfterMs, markMs }, publish) =>
      lockForce(
        { lock: keys.of(name), token: keys.token(name), mark, crowd: keys.lock(name).crowd },
        { ...expected, notAfterMs, markMs, retentionMs, publish, channel: channelOf(name) },
      ),
    waiters: (name) => watches.count(name),
    traits: protocolTraits({
      isSubscribed: (name) => channels.isSubscribed(ownChannelOf(name)),
      sawOtherHolder: (name) => channels.heardOthers(channelOf(name)),
    }),
    watch: async (name, _owner, heard) => {
      const { subscribe } = pubSub.known ?? (await pubSub.get(() => scripts.subject('lock', name)));
      const listened = { lock: channelOf(name), own: ownChannelOf(name) };
      return watches.watch(subscribe, name, listened, heard, scripts.subject('lock', name));
    },
  };
}
