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
  lockMarkedRelease,
} from '../scripts.generated.ts';
import { ceilMs } from '../requests/script.ts';
import { busyFor, grantedOf } from './answers.ts';
import type { ListeningPlace } from './crowd-watch.ts';
import { CrowdWatches } from './crowd-watches.ts';
import { inCrowd } from './in-crowd.ts';
import { minHoldArguments } from './min-hold-arguments.ts';

/** Said of a grant beside a crowd, and by its release, which wakes a client of it. */
const BESIDE_CROWD = 'crowd';

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
    PUBLISH: scripts.driver.topology === 'cluster' ? undefined : 'NUMSUB',
    SPUBLISH: 'SHARDNUMSUB',
  };
  return {
    kind: 'lock',
    channel: channelOf,
    tellsOnlyOthers: true,
    acquire: (name, { owner, fences, leaseMs, minHoldMs = 0, wait }, notAfterMs, { publish }) => {
      const { lock, token, channel, crowd, marks } = keys.lock(name);
      const remainingMs = ceilMs(Math.max(leaseMs, minHoldMs));
      const own = { lock, token, mark: marks + owner, crowd };
      const args = { owner, leaseMs: remainingMs, fences, notAfterMs, retentionMs };
      const count = counts[publish];
      if (wait && count !== undefined && watches.asksWhere(name)) {
        const enters = watches.mayEnter(name, ownChannelOf(name)) ? 1 : 0;
        const sinceMs = watches.sinceMs(name);
        return lockAcquireWaiting(own, { ...args, enters, sinceMs, count, channel });
      }
      const { source, command } = lockAcquire(own, args);
      const expandReply = (fence: number) => ['granted', Math.floor(fence / 1000), remainingMs, fence];
      return { source, command, expandReply };
    },
    read: (reply, { fences, interestMs }, name) => {
      const [answer, nowMs, ttlMs, where, waiters, stood, holder] = reply;
      if (answer === 'granted') {
        watches.noteGrant(name, reply[4] === BESIDE_CROWD);
        return grantedOf(reply, fences);
      }
      const busy = busyFor(ttlMs, interestMs);
      if (where === undefined) return busy;
      const told = { where: where as ListeningPlace, stood: stood === 1, holder: String(holder) };
      watches.follow(name, told, Number(nowMs));
      return told.where === 'lock' ? busy : inCrowd(busy, Number(waiters) + 1, client.random.fraction());
    },
    release: (name, { owner, minHold }, tombstoneMs, { publish }) => {
      const { lock, channel, crowd, marks } = keys.lock(name);
      if (minHold === undefined && tombstoneMs === 0) {
        const beside = watches.isBeside(name) ? BESIDE_CROWD : '';
        const { source, command } = lockRelease({ lock, crowd }, { owner, publish, channel, beside });
        return { source, command, expandReply: releasedTo };
      }
      const own = { lock, mark: marks + owner, crowd };
      const args = { owner, tombstoneMs, publish, channel };
      const { source, command } =
        minHold === undefined
          ? lockMarkedRelease(own, args)
          : lockReleaseLater(own, { ...args, ...minHoldArguments(minHold) });
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
