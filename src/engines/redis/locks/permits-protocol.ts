import type { Protocols } from '../../../spi/engine/protocols.ts';
import type { Renewal, RenewalOutcome } from '../../../spi/engine/protocol.ts';
import { protocolTraits } from '../../../spi/engine/protocol-traits.ts';
import type { HolderView, OwnerAsk, RenewAsk } from '../../../spi/verbs/holding.ts';
import type { SemaphoreAsk } from '../../../spi/verbs/semaphore.ts';
import { busyFor, grantedOf, renewedOf } from './answers.ts';
import type { Reply } from '../driver.ts';
import { WaitQueues } from './wait-queues.ts';
import type { RedisContext } from '../redis-context.ts';
import { newPermitId } from './permit-ids.ts';
import { renewInChunks } from './renew-in-chunks.ts';
import { asItIs, scriptedHolding } from './scripted-holding.ts';
import {
  permitSemaphoreAcquire,
  permitSemaphoreLook,
  permitSemaphoreRelease,
  permitSemaphoreRenew,
} from '../scripts.generated.ts';
import { watchInLine } from './watch-in-line.ts';
import { ceilMs } from '../requests/script.ts';

/** The id of a permit as Redisson shows it: the sixteen bytes on the server, in hexadecimal. */
const PERMIT_ID = /^[0-9a-f]{32}$/;

/**
 * The most permits of one acquisition. Each is an entry in Redis, and the script blocks the server meanwhile: 1,000 permits
 * take 3 ms to acquire and 4 ms to renew (Redis 7.0.15). Their ids differ in two bytes, which would allow 65,536.
 */
const MOST_PERMITS = 1000;

/**
 * Both semaphores, in the layout of Redisson's `RPermitExpirableSemaphore`: a number, and a sorted set of permits by their
 * deadlines. Java sees each of several permits that were taken together as a permit of its own.
 *
 * The tempting alternative for the plain semaphore is Redisson's `RSemaphore`, as its name suggests. That is a number
 * without owners: a crashed process would keep its permits without limit, and another total would look like taken permits.
 * Here the free and the taken permits add up to the total, so the script refuses another total.
 */
export function permitsProtocol(
  parts: RedisContext,
  kind: 'semaphore' | 'permitSemaphore',
): Protocols['semaphore'] {
  const { scripts, client, keys, fenceRetentionMs: retentionMs } = parts;
  const lines = new WaitQueues(client.clock);
  const channelOf = (name: string) => keys.semaphoreChannel(name);
  const own = (name: string, { owner }: OwnerAsk) => ({
    counter: keys.of(name),
    deadlines: keys.permitDeadlines(name),
    token: keys.token(name),
    mark: keys.mark(name, owner),
  });
  const holding = scriptedHolding<SemaphoreAsk, OwnerAsk, readonly Reply[]>(parts, {
    kind,
    key: (name) => keys.of(name),
    channel: channelOf,
    id: ({ owner }) => owner,
    acquire: (name, ask, notAfterMs, { publish }) => {
      const { owner: id, permits, total, leaseMs } = ask;
      return permitSemaphoreAcquire(own(name, ask), {
        id,
        permits,
        total,
        leaseMs: ceilMs(leaseMs),
        notAfterMs,
        retentionMs,
        publish,
        channel: channelOf(name),
      });
    },
    release: (name, ask, tombstoneMs, { publish }) =>
      permitSemaphoreRelease(own(name, ask), {
        id: ask.owner,
        tombstoneMs,
        publish,
        channel: channelOf(name),
      }),
    read: asItIs,
    undo: ({ owner }) => ({ owner }),
  });

  const renewMany = async (renewals: readonly Renewal<RenewAsk>[]): Promise<readonly RenewalOutcome[]> => {
    const known = renewals.filter(({ ask }) => PERMIT_ID.test(ask.owner));
    const outcomes = await renewInChunks(
      parts,
      kind,
      known.map(({ name, ask }) => ({ key: keys.permitDeadlines(name), name, ask })),
      (chunk) =>
        permitSemaphoreRenew(
          { deadlines: chunk.map(({ key }) => key) },
          {
            ids: chunk.map(({ ask }) => ask.owner),
            leasesMs: chunk.map(({ ask }) => ceilMs(ask.leaseMs)),
          },
        ),
    );
    return renewals.map((one) => outcomes[known.indexOf(one)] ?? { kind: 'gone' });
  };

  return {
    traits: protocolTraits({
      mostPermits: MOST_PERMITS,
      newOwner: () => newPermitId(client.ids.client),
    }),
    acquire: async (name, ask) => {
      const { owner, wait, interestMs } = ask;
      if (!lines.claimTurn(name, owner, wait)) return lines.behindFirst(name, interestMs);
      const reply = await lines.awaitAnswer(name, holding.acquire(name, ask));
      if (reply[0] !== 'granted' && reply[0] !== 'mismatch') return busyFor(reply[2], interestMs);
      lines.leave(name, owner);
      return reply[0] === 'granted' ? grantedOf(reply) : { kind: 'mismatch', total: Number(reply[2]) };
    },
    release: async (name, ask) => {
      lines.leave(name, ask.owner);
      return PERMIT_ID.test(ask.owner) ? holding.release(name, ask) : { kind: 'not-held' };
    },
    renewMany,
    renew: async (name, ask) => renewedOf(await renewMany([{ name, ask }])),
    look: async (name) => {
      const counter = keys.of(name);
      const prepared = permitSemaphoreLook({ counter, deadlines: keys.permitDeadlines(name) });
      const reply = await scripts.read({ kind, name, key: counter, ...prepared });
      const holders = holdersOf(reply);
      const total = reply[1] === '' ? undefined : Number(reply[1]) + (reply.length - 2) / 2;
      const taken = holders.reduce((sum, { permits }) => sum + permits, 0);
      return { total, taken, holders, waiters: lines.waiting(name) };
    },
    watch: watchInLine(parts, kind, lines, channelOf),
  };
}

/** Reads `nowMs free (id untilMs)*`. Permits that were taken together share the first 28 digits of their ids. */
function holdersOf(reply: readonly Reply[]): readonly (HolderView & { readonly permits: number })[] {
  const holders = new Map<string, HolderView & { readonly permits: number }>();
  for (let at = 2; at < reply.length; at += 2) {
    const remainingMs = Number(reply[at + 1]) - Number(reply[0]);
    if (remainingMs <= 0) continue;
    const id = String(reply[at]);
    const together = id.slice(0, 28);
    const known = holders.get(together);
    if (known === undefined) holders.set(together, { owner: id, fence: 0, remainingMs, permits: 1 });
    else holders.set(together, { ...known, permits: known.permits + 1 });
  }
  return [...holders.values()];
}
