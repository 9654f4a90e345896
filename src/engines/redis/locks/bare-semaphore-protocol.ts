import { protocolTraits } from '../../../spi/engine/protocol-traits.ts';
import type { Protocols } from '../../../spi/engine/protocols.ts';
import type { OwnerId } from '../../../spi/rule.ts';
import type { Busy, Granted, Released } from '../../../spi/verbs/holding.ts';
import type { SemaphoreAsk } from '../../../spi/verbs/semaphore.ts';
import { busyFor, NOT_PERMITTED } from './answers.ts';
import { WaitQueues } from './wait-queues.ts';
import type { RedisContext } from '../redis-context.ts';
import { bareSemaphoreAcquire, bareSemaphoreRelease, counterLook } from '../scripts.generated.ts';
import { watchInLine } from './watch-in-line.ts';

const kind = 'bareSemaphore';
/**
 * How long a release is repeated, and how long the marks of a request stay: a permit whose release did not arrive during a
 * failover would otherwise be lost for good. A mark that no copy can need any more is deleted at once.
 */
const TRIED_FOR_MS = 5 * 60 * 1000;

/**
 * The mark of a grant must still exist when the release of an owner arrives that never saw the grant. The acquisition may be
 * repeated for twice the command time-out before its owner gives up, and so may the release, and the look at the server's
 * clock before each.
 */
const GRANT_MARKS = 4;

/** The permits that this client has taken, or may have taken, under one id. */
interface TakenPermits {
  readonly permits: number;
  /** Whether the server has confirmed the grant. */
  known: boolean;
  /** Its owner has withdrawn it: if it was not sent yet, it never is. */
  withdrawn: boolean;
  /** A copy of the acquisition may still arrive, whatever the last answer was. */
  doubtful: boolean;
  /** When the release was first sent: after its mark has expired, another copy could release twice. */
  releasingSince: number | undefined;
}

/**
 * The bare semaphore, in the layout of Redisson's `RSemaphore`: a number and nothing else. The server knows no owner and
 * no lease, so the permits of a crashed process never return. A lease ends in this client, which then releases the
 * permits. The first total wins: the server cannot tell another total from permits that are taken.
 */
export function bareSemaphoreProtocol(parts: RedisContext): Protocols['semaphore'] {
  const { scripts, channels, client, keys, pubSub, fenceRetentionMs: retentionMs } = parts;
  const lines = new WaitQueues(client.clock);
  const taken = new Map<OwnerId, TakenPermits>();
  const channelOf = (name: string) => keys.semaphoreChannel(name);

  async function acquire(name: string, ask: SemaphoreAsk): Promise<Granted | Busy> {
    const { owner, permits, total, wait, interestMs, leaseMs } = ask;
    if (!lines.claimTurn(name, owner, wait)) return lines.behindFirst(name, interestMs);
    const doubtful = taken.has(owner);
    const asked: TakenPermits = {
      permits,
      known: false,
      withdrawn: false,
      doubtful,
      releasingSince: undefined,
    };
    taken.set(owner, asked);
    // How to tell of releases may have to be asked for first: the line is owed that answer as well.
    const request = async () => {
      const { publish } = pubSub.known ?? (await pubSub.get(() => scripts.subject(kind, name)));
      return scripts.runLimited({
        kind,
        name,
        key: keys.of(name),
        prepare: (notAfterMs) => {
          if (asked.withdrawn) return undefined;
          return bareSemaphoreAcquire(
            { counter: keys.of(name), token: keys.token(name), mark: keys.mark(name, owner) },
            {
              permits,
              total,
              notAfterMs,
              markMs: TRIED_FOR_MS + GRANT_MARKS * scripts.markMs,
              retentionMs,
              publish,
              channel: channelOf(name),
            },
          );
        },
      });
    };
    const answered = await lines.awaitAnswer(name, request());
    const [answer, , fence] = answered.reply;
    if (answer === 'granted') {
      asked.known = true;
      if (answered.copies > 1) asked.doubtful = true;
      if (!scripts.replicas.isConfirmed(answered)) {
        await release(name, owner);
        throw scripts.replicas.errorFor(answered, scripts.subject(kind, name));
      }
      lines.leave(name, owner);
      return { kind: 'granted', fence: Number(fence), fences: 1, remainingMs: leaseMs };
    }
    if (answered.copies <= 1 && !asked.doubtful) {
      if (taken.get(owner) === asked) taken.delete(owner);
      return busyFor(undefined, interestMs);
    }
    // A refused single attempt has no later release: another copy of it would be granted to no owner.
    if (!wait) client.background(release(name, owner));
    // Another copy may still be granted: asks again before its mark expires, or the permits would be counted twice.
    return busyFor(scripts.markMs / 4, interestMs);
  }

  async function release(name: string, owner: OwnerId): Promise<Released> {
    lines.leave(name, owner);
    const own = taken.get(owner);
    if (own === undefined) return { kind: 'not-held' };
    own.withdrawn = true;
    const isFirst = own.releasingSince === undefined;
    own.releasingSince ??= client.clock.now();
    // The number does not remember releases: once its mark may have expired, a release is not sent again (soundness 3).
    if (client.clock.now() - own.releasingSince > TRIED_FOR_MS) {
      taken.delete(owner);
      return { kind: 'not-held' };
    }
    const { publish } = pubSub.known ?? (await pubSub.get(() => scripts.subject(kind, name)));
    const channel = channelOf(name);
    const mark = keys.mark(name, owner);
    const { reply, copies } = await scripts.runLimited({
      kind,
      name,
      key: keys.of(name),
      prepare: (notAfterMs) =>
        bareSemaphoreRelease(
          { counter: keys.of(name), mark },
          {
            permits: own.permits,
            known: own.known ? 1 : 0,
            notAfterMs,
            markMs: TRIED_FOR_MS + scripts.markMs,
            publish,
            channel,
          },
        ),
    });
    taken.delete(owner);
    // Keeps the mark if a copy of the acquisition or of an earlier release may still arrive.
    if (isFirst && copies === 1 && own.known && !own.doubtful) scripts.deleteKey(mark);
    if (reply[0] !== 'released') return { kind: 'not-held' };
    if (reply[2] === NOT_PERMITTED) channels.warnOfRefusal(channel);
    return {
      kind: 'released',
      others: Math.max(0, Number(reply[2]) - (channels.isSubscribed(channel) ? 1 : 0)),
    };
  }

  return {
    acquire,
    release: (name, { owner }) => release(name, owner),
    renew: (_name, { leaseMs }) => ({ kind: 'renewed', remainingMs: leaseMs }),
    renewMany: (renewals) => renewals.map(({ ask }) => ({ kind: 'renewed', remainingMs: ask.leaseMs })),
    traits: protocolTraits({ clientEndsLeases: true }),
    look: async (name) => {
      const counter = keys.of(name);
      const [value] = await scripts.read({ kind, name, key: counter, ...counterLook({ counter }) });
      const free = value === '' ? undefined : Number(value);
      return { total: undefined, taken: 0, free, holders: [], waiters: lines.waiting(name) };
    },
    watch: watchInLine(parts, kind, lines, channelOf),
  };
}
