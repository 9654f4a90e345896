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
 * For so long a release is tried, and the marks of a request are kept: a permit whose release did not arrive during a
 * failover would otherwise be gone for good. Marks that nobody can need any more are deleted at once.
 */
const TRIED_FOR_MS = 5 * 60 * 1000;

/**
 * The mark of a grant must be there when the release comes of somebody who never heard of the grant: the acquisition may
 * be repeated for twice the time-out of a command before it is given up, and the release, with a look at the server's
 * clock before it, for as long again each.
 */
const GRANT_MARKS = 4;

/** What this client has taken, or may have taken, under one id. */
interface TakenPermits {
  readonly permits: number;
  /** Whether the server has told us that it granted them. */
  known: boolean;
  /** Its owner has given up: if it has not been sent yet, it is not sent any more. */
  withdrawn: boolean;
  /** A copy of the acquisition may still come, whatever was answered last. */
  doubtful: boolean;
  /** When the release was first tried: past the time for which its mark is kept, another could give back twice. */
  releasingSince: number | undefined;
}

/**
 * The bare semaphore, in the layout of Redisson's `RSemaphore`: a number and nothing else. The server knows no owner and
 * no lease, so it never returns what a crashed process has taken. A lease ends in this client, which then gives the
 * permits back. The first number wins: the server cannot tell "another total" from "some are taken".
 */
export function bareSemaphoreProtocol(parts: RedisContext): Protocols['semaphore'] {
  const { scripts, channels, client, keys, pubSub, fenceRetentionMs: retentionMs } = parts;
  const lines = new WaitQueues(client.clock);
  const taken = new Map<OwnerId, TakenPermits>();
  const channelOf = (name: string) => keys.semaphoreChannel(name);

  async function acquire(name: string, ask: SemaphoreAsk): Promise<Granted | Busy> {
    const { owner, permits, total, wait, interestMs, leaseMs } = ask;
    if (!lines.mayAsk(name, owner, wait)) return lines.behindFirst(name, interestMs);
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
    const answered = await lines.answerTo(name, request());
    const [answer, , fence] = answered.reply;
    if (answer === 'granted') {
      asked.known = true;
      if (answered.copies > 1) asked.doubtful = true;
      if (!scripts.isConfirmed(answered)) {
        await release(name, owner);
        throw scripts.notConfirmed(answered, kind, name);
      }
      lines.leave(name, owner);
      return { kind: 'granted', fence: Number(fence), fences: 1, remainingMs: leaseMs };
    }
    if (answered.copies <= 1 && !asked.doubtful) {
      if (taken.get(owner) === asked) taken.delete(owner);
      return busyFor(undefined, interestMs);
    }
    // A single attempt withdraws nothing when it is refused: another copy of it would be let in for nobody.
    if (!wait) client.background(release(name, owner));
    // Another copy may be let in yet: asked for again before its mark is gone, or it would be counted twice.
    return busyFor(scripts.markMs / 4, interestMs);
  }

  async function release(name: string, owner: OwnerId): Promise<Released> {
    lines.leave(name, owner);
    const own = taken.get(owner);
    if (own === undefined) return { kind: 'not-held' };
    own.withdrawn = true;
    const isFirst = own.releasingSince === undefined;
    own.releasingSince ??= client.clock.now();
    // The number has no memory of who gave back what: once its mark may be gone, a release is not sent again (soundness 3).
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
    // Not if a copy may still come, of the acquisition or of a release that was tried before.
    if (isFirst && copies === 1 && own.known && !own.doubtful) scripts.deleteKey(mark);
    if (reply[0] !== 'released') return { kind: 'not-held' };
    if (reply[2] === NOT_PERMITTED) channels.refused(channel);
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
