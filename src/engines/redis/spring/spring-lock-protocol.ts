import { YIELD_PACE, YieldAfterRun } from '../../../core/queues/yield-after-run.ts';
import type { Protocols } from '../../../spi/engine/protocols.ts';
import type { Renewal } from '../../../spi/engine/protocol.ts';
import { protocolTraits } from '../../../spi/engine/protocol-traits.ts';
import type { Busy, OwnerAsk, RenewAsk } from '../../../spi/verbs/holding.ts';
import type { LockAsk } from '../../../spi/verbs/lock.ts';
import { busyFor, forcedOf, grantedOf, renewedOf } from '../locks/answers.ts';
import type { Reply } from '../driver.ts';
import { promotionRecord } from '../locks/promotions.ts';
import type { RedisContext } from '../redis-context.ts';
import { renewInChunks } from '../locks/renew-in-chunks.ts';
import { type ScriptCall, ceilMs } from '../requests/script.ts';
import { asItIs, scriptedHolding } from '../locks/scripted-holding.ts';
import {
  springLockAcquire,
  springLockForce,
  springLockLook,
  springLockRaise,
  springLockRelease,
  springLockRenew,
} from '../scripts.generated.ts';
import type { SpringKeys } from './spring-keys.ts';
import { springListening, type SpringLockType } from './spring-listening.ts';

const kind = 'springLock';
/** Java polls every 100 ms; so does this client, with jitter. */
const SPIN_MS = 100;
const JITTER = 0.2;

/**
 * The locks of one Spring Integration `RedisLockRegistry`: a string each, with the id of its holder. Java compares that id
 * only with the id of its own registry, so this client can use a new id for each acquisition.
 */
export function springLockProtocol(
  parts: RedisContext,
  keys: SpringKeys,
  type: SpringLockType,
): Protocols['lock'] {
  const { scripts, client, fenceRetentionMs: retentionMs } = parts;
  const listening = springListening(parts, keys, type);
  const yielding = new YieldAfterRun(
    client.clock,
    type === 'spin' ? YIELD_PACE.polling : YIELD_PACE.subscribed,
  );
  const told = (lock: string) =>
    type === 'pubSub'
      ? { channel: keys.channel(lock), oldChannel: keys.oldChannel }
      : { channel: '', oldChannel: '' };
  const own = (lock: string, { owner }: OwnerAsk) => ({ lock, mark: keys.mark(lock, owner) });
  const holding = scriptedHolding<LockAsk, OwnerAsk, readonly Reply[]>(parts, {
    kind,
    key: (lock) => lock,
    channel: () => keys.channels,
    id: ({ owner }) => owner,
    acquire: (lock, ask, notAfterMs) =>
      springLockAcquire(
        { ...own(lock, ask), token: keys.token(lock) },
        {
          owner: ask.owner,
          leaseMs: ceilMs(ask.leaseMs),
          fences: ask.fences,
          notAfterMs,
          retentionMs,
        },
      ),
    release: (lock, ask, tombstoneMs) =>
      springLockRelease(own(lock, ask), { owner: ask.owner, tombstoneMs, ...told(lock) }),
    read: asItIs,
    undo: ({ owner }) => ({ owner }),
  });
  const callOn = (lock: string, prepared: ScriptCall) => ({ kind, name: lock, key: lock, ...prepared });

  function againFor(ttlMs: Reply | undefined, interestMs: number): Busy {
    const busy = busyFor(ttlMs, interestMs);
    if (type === 'pubSub') return busy;
    const spinMs = SPIN_MS * (1 + JITTER * (2 * client.random.fraction() - 1));
    return { ...busy, againInMs: Math.min(busy.againInMs, spinMs) };
  }

  const renewMany = (renewals: readonly Renewal<RenewAsk>[]) =>
    renewInChunks(
      parts,
      kind,
      renewals.map(({ name, ask }) => ({ key: name, name, ask })),
      (chunk) =>
        springLockRenew(
          { locks: chunk.map(({ key }) => key) },
          {
            owners: chunk.map(({ ask }) => ask.owner),
            leasesMs: chunk.map(({ ask }) => ceilMs(ask.leaseMs)),
          },
        ),
    );

  return {
    acquire: async (lock, ask) => {
      const pauseMs = ask.wait ? yielding.pauseMs(lock) : 0;
      if (pauseMs > 0) return { kind: 'busy', againInMs: pauseMs };
      const reply = await holding.acquire(lock, ask);
      if (reply[0] === 'granted') {
        yielding.noteGrant(lock, ask.leaseMs);
        return grantedOf(reply, ask.fences);
      }
      if (reply[0] === 'busy') yielding.noteBusy(lock);
      return againFor(reply[2], ask.interestMs);
    },
    release: async (lock, ask) => {
      const released = await holding.release(lock, ask);
      if (released.kind !== 'released') return released;
      yielding.noteRelease(lock, !listening.isKnown || released.others > 0);
      return { ...released, others: 0 };
    },
    renewMany,
    renew: async (name, ask) => renewedOf(await renewMany([{ name, ask }])),
    force: async (lock, { fence, owner = '' }) => {
      const mark = keys.mark(lock, client.ids.next());
      const expected = { fence: fence === undefined ? '' : String(fence), owner };
      const { reply } = await scripts.runLimited({
        kind,
        name: lock,
        key: lock,
        prepare: (notAfterMs) =>
          springLockForce(
            { lock, token: keys.token(lock), mark },
            { ...expected, notAfterMs, markMs: scripts.markMs, retentionMs, ...told(lock) },
          ),
      });
      return forcedOf(reply);
    },
    raise: async (lock, { owner, fence }) => {
      const { promoted, promotedMs } = promotionRecord(scripts.driver, keys.registryKey, lock);
      const touched = { lock, token: keys.token(lock), promoted };
      const prepared = springLockRaise(touched, { owner, fence, retentionMs, promotedMs });
      const [answer, upMs] = await scripts.run(callOn(lock, prepared));
      return answer === 'raised' ? { kind: 'raised', upMs: Number(upMs) } : { kind: 'gone' };
    },
    look: async (lock) => {
      const looking = springLockLook({ lock, token: keys.token(lock) });
      const [ttlMs, fence, owner] = await scripts.read(callOn(lock, looking));
      const waiters = listening.count(lock);
      if (owner === undefined) return { holder: undefined, waiters };
      return {
        holder: { owner: String(owner), fence: Number(fence), remainingMs: Math.max(0, Number(ttlMs)) },
        waiters,
      };
    },
    watch: (lock, _owner, heard) => listening.watch(lock, heard),
    traits: protocolTraits(),
  };
}
