import type { Protocols } from '../../../spi/engine/protocols.ts';
import type { Renewal, RenewalOutcome } from '../../../spi/engine/protocol.ts';
import { protocolTraits } from '../../../spi/engine/protocol-traits.ts';
import type { Granted, HolderView } from '../../../spi/verbs/holding.ts';
import type { ReadWriteAsk, Side, SideAsk, SideRenewAsk } from '../../../spi/verbs/read-write-lock.ts';
import { busyFor, forcedOf, grantedOf, renewedOf } from './answers.ts';
import type { Reply } from '../driver.ts';
import { WaitQueues } from './wait-queues.ts';
import type { RedisContext } from '../redis-context.ts';
import { renewalOutcomeOf, renewInChunks } from './renew-in-chunks.ts';
import { asItIs, scriptedHolding } from './scripted-holding.ts';
import {
  readLockAcquire,
  readLockRelease,
  readWriteLockForce,
  readWriteLockLook,
  readWriteLockRenew,
  writeLockAcquire,
  writeLockRelease,
} from '../scripts.generated.ts';
import { watchInLine } from './watch-in-line.ts';
import { ceilMs } from '../requests/script.ts';

const kind = 'readWriteLock';

/**
 * The read-write lock, in the layout of Redisson's `RReadWriteLock`: a hash with its mode and a field for each owner,
 * and for each read hold a key of its own whose TTL is that of the hold.
 *
 * The server keeps no line. Of the writers in this process only the first asks the server; every reader asks, because
 * readers acquire together.
 */
export function readWriteLockProtocol(parts: RedisContext): Protocols['readWriteLock'] {
  const { scripts, client, keys, pubSub, fenceRetentionMs: retentionMs } = parts;
  const lines = { read: new WaitQueues(client.clock), write: new WaitQueues(client.clock) };
  const channelOf = (name: string) => keys.readWriteChannel(name);
  const own = (name: string, { owner, side }: SideAsk) => ({
    lock: keys.of(name),
    token: keys.token(name),
    mark: keys.mark(name, `${owner}:${side}`),
  });
  const holding = scriptedHolding<ReadWriteAsk, SideAsk, readonly Reply[]>(parts, {
    kind,
    key: (name) => keys.of(name),
    channel: channelOf,
    id: ({ owner, side }) => `${owner}:${side}`,
    acquire: (name, ask, notAfterMs) => {
      const { owner, under: writer = owner } = ask;
      const asked = { owner, leaseMs: ceilMs(ask.leaseMs), notAfterMs, retentionMs };
      return ask.side === 'read'
        ? readLockAcquire(own(name, ask), { ...asked, writer })
        : writeLockAcquire(own(name, ask), asked);
    },
    release: (name, ask, tombstoneMs, { publish }) => {
      const script = ask.side === 'read' ? readLockRelease : writeLockRelease;
      return script(own(name, ask), { owner: ask.owner, tombstoneMs, publish, channel: channelOf(name) });
    },
    read: asItIs,
    undo: ({ owner, side }) => ({ owner, side }),
  });

  const renewMany = (renewals: readonly Renewal<SideRenewAsk>[]) =>
    renewInChunks(
      parts,
      kind,
      renewals.map(({ name, ask }) => ({ key: keys.of(name), name, ask })),
      (chunk) =>
        readWriteLockRenew(
          { locks: chunk.map(({ key }) => key) },
          {
            retentionMs,
            owners: chunk.map(({ ask }) => ask.owner),
            sides: chunk.map(({ ask }) => ask.side),
            leasesMs: chunk.map(({ ask }) => ceilMs(ask.leaseMs)),
          },
        ),
      { outcomeAt: cutOrRenewed },
    );

  return {
    acquire: async (name, ask) => {
      const { owner, side, wait, interestMs } = ask;
      const first = lines[side].claimTurn(name, owner, wait);
      if (side === 'write' && !first) return lines.write.behindFirst(name, interestMs);
      const asked = holding.acquire(name, ask);
      const reply = await (side === 'write' ? lines.write.awaitAnswer(name, asked) : asked);
      if (reply[0] !== 'granted' && reply[0] !== 'upgrade') return busyFor(reply[2], interestMs);
      lines[side].leave(name, owner);
      if (reply[0] === 'upgrade') return { kind: 'upgrade' };
      return side === 'read' ? grantedAmongReaders(reply) : grantedOf(reply);
    },
    release: (name, ask) => {
      lines[ask.side].leave(name, ask.owner);
      return holding.release(name, ask);
    },
    traits: protocolTraits({
      // A read taken under a write keeps the hash alive, and with it the field of a write whose lease has ended.
      clientEndsLeases: true,
      // Java's read watchdog sets the TTL of the whole hash to its own `lockWatchdogTimeout`, even if other holds need more.
      othersCutLeases: true,
    }),
    renewMany,
    renew: async (name, ask) => renewedOf(await renewMany([{ name, ask }])),
    force: async (name, { side, fence, owner = '' }) => {
      const { publish } = await pubSub.get(() => scripts.subject(kind, name));
      const mark = keys.mark(name, client.ids.next());
      const { reply } = await scripts.runLimited({
        kind,
        name,
        key: keys.of(name),
        prepare: (notAfterMs) =>
          readWriteLockForce(
            { lock: keys.of(name), token: keys.token(name), mark },
            {
              side,
              fence: fence === undefined ? '' : String(fence),
              owner,
              notAfterMs,
              markMs: scripts.markMs,
              retentionMs,
              publish,
              channel: channelOf(name),
            },
          ),
      });
      return forcedOf(reply);
    },
    look: async (name) => {
      const lock = keys.of(name);
      const prepared = readWriteLockLook({ lock, token: keys.token(name) });
      const holders = holdersOf(await scripts.read({ kind, name, key: lock, ...prepared }));
      return {
        writer: holders.write[0],
        readers: holders.read,
        waiters: { read: lines.read.waiting(name), write: lines.write.waiting(name) },
      };
    },
    watch: watchInLine(parts, kind, lines.write, channelOf),
  };
}

/** Reads `granted nowMs remainingMs fence hashMs`. A watchdog of Java may have cut the TTL of the hash that this read joined. */
function grantedAmongReaders(reply: readonly Reply[]): Granted {
  const granted = grantedOf(reply);
  const hashMs = Number(reply[4]);
  return hashMs < granted.remainingMs ? { ...granted, cutToMs: hashMs } : granted;
}

/** Reads one outcome of `remainingMs* cutToMs*`. */
function cutOrRenewed(reply: readonly Reply[], at: number): RenewalOutcome {
  const renewed = renewalOutcomeOf(reply[at]);
  const cutToMs = Number(reply[reply.length / 2 + at]);
  return renewed.kind === 'renewed' && cutToMs >= 0 ? { ...renewed, cutToMs } : renewed;
}

const WRITE = ':write';

/** Reads `ttlMs lastFence mode (field ttlMs fence)*`. A reader whose time has ended holds nothing, although its field remains. */
function holdersOf(reply: readonly Reply[]): Readonly<Record<Side, readonly HolderView[]>> {
  const holders: Record<Side, HolderView[]> = { read: [], write: [] };
  for (let at = 3; at < reply.length; at += 3) {
    const field = String(reply[at]);
    const remainingMs = Number(reply[at + 1]);
    const writes = field.endsWith(WRITE);
    if (remainingMs <= 0) continue;
    const owner = writes ? field.slice(0, -WRITE.length) : field;
    holders[writes ? 'write' : 'read'].push({ owner, fence: Number(reply[at + 2]), remainingMs });
  }
  return holders;
}
