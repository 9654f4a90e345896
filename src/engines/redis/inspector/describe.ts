import { type Describing, describing as describeCells } from '../../../kernels/inspector/describing.ts';
import { waitersHere } from '../../../kernels/inspector/waiters-here.ts';
import type { Protocols } from '../../../spi/engine/protocols.ts';
import { ForeignStateError } from '../../../spi/errors.ts';
import type {
  Description,
  HolderSighting,
  Kind,
  PlaceInLine,
  Waiting,
  WaitingLine,
} from '../../../spi/engine/inspector.ts';
import type { HolderView } from '../../../spi/verbs/holding.ts';
import type { InspectorListeners } from './listeners.ts';
import { lookAtLock } from './locks.ts';
import { programOf, programOfPermit } from './shapes.ts';
import type { RedisContext } from '../redis-context.ts';
import { counterLook, fairLineLook } from '../scripts.generated.ts';

/** The most places of a line that are shown. */
const MOST_PLACES = 1000;
/** A Java permit without a lease has a deadline all the same, 29,000 years ahead. */
const NEVER_MS = 9e14;

/** A waiter listens on a channel: Redis counts the connections that do, and knows neither who waits nor in which order. */
const UNKNOWN: WaitingLine = { order: 'unknown' };

/** What a look needs. */
interface Looking {
  readonly parts: RedisContext;
  readonly protocols: Protocols;
  readonly listeners: InspectorListeners;
}

/** Describes one synchronizer in full, by its kind. */
export function describing({ parts, protocols, listeners }: Looking): Describing {
  const { scripts, keys } = parts;

  async function countWaiters(kind: Kind, name: string, channel: string): Promise<Waiting> {
    return waitersHereOf(parts, kind, name, channel, await listeners.countOn(channel));
  }

  /** Null if the key holds no number. */
  async function readCounter(kind: Kind, name: string): Promise<number | null> {
    const counter = keys.of(name);
    const [value] = await scripts.read({ kind, name, key: counter, ...counterLook({ counter }) });
    return value === '' || !Number.isSafeInteger(Number(value)) ? null : Number(value);
  }

  /** Reads either semaphore; both have one layout. A bare semaphore shows permits without holders: it stores a number only. */
  async function readPermits(kind: 'semaphore' | 'permitSemaphore', name: string) {
    const { total, taken, holders } = await protocols[kind].look(name);
    if (total === undefined) return null;
    const waiters = await countWaiters(kind, name, keys.semaphoreChannel(name));
    return {
      holders: holders.map(permitHolder),
      waiters,
      line: UNKNOWN,
      permits: total,
      available: total - taken,
    };
  }

  const all: Describing = {
    // The kinds kept in cells: there every waiter has a ticket, so no watchers are counted.
    ...describeCells(protocols, () => ({ count: 0, counts: 'process' })),
    lock: async (name) => {
      const seen = await lookAtLock(parts, name);
      if (seen === undefined || seen.isReadWrite) return null;
      const channel = keys.lockChannel(name);
      const waiters = waitersHereOf(parts, 'lock', name, channel, await listeners.countOnLock(channel));
      const isThere = seen.holders.length > 0 || isWaitedFor(waiters);
      return isThere ? { kind: 'lock', name, holders: seen.holders, waiters, line: UNKNOWN } : null;
    },
    fairLock: async (name) => {
      const seen = await lookAtLock(parts, name);
      if (seen === undefined || seen.isReadWrite || (seen.holders.length === 0 && seen.inLine === 0))
        return null;
      const line = { order: 'turns', places: await readLine(parts, name) } as const;
      const waiters = { count: seen.inLine, counts: 'fleet' } as const;
      return { kind: 'fairLock', name, holders: seen.holders, waiters, line };
    },
    readWriteLock: async (name) => {
      const seen = await lookAtLock(parts, name);
      if (seen === undefined || (seen.holders.length > 0 && !seen.isReadWrite)) return null;
      const waiters = await countWaiters('readWriteLock', name, keys.readWriteChannel(name));
      const isThere = seen.holders.length > 0 || isWaitedFor(waiters);
      return isThere ? { kind: 'readWriteLock', name, holders: seen.holders, waiters, line: UNKNOWN } : null;
    },
    semaphore: async (name) => {
      const seen = await readPermits('semaphore', name);
      return seen && { kind: 'semaphore', name, ...seen };
    },
    permitSemaphore: async (name) => {
      const seen = await readPermits('permitSemaphore', name);
      return seen && { kind: 'permitSemaphore', name, ...seen };
    },
    latch: async (name) => {
      const count = await readCounter('latch', name);
      if (count === null) return null;
      const waiters = await countWaiters('latch', name, keys.latchChannel(name));
      return { kind: 'latch', name, holders: [], waiters, line: UNKNOWN, count };
    },
  };
  return Object.fromEntries(
    Object.entries(all).map(([kind, describe]) => [kind, (name: string) => unlessForeign(describe(name))]),
  ) as unknown as Describing;
}

/** The waiters of this process, and the number of clients that listen. */
export function waitersHereOf(
  { channels, client }: RedisContext,
  kind: Kind,
  name: string,
  channel: string,
  clients: number,
): Waiting {
  const own = channels.listenerCount(`${channel}:${client.ids.client}`);
  // In a crowd a waiter listens on the channel of its client, and for a while on both.
  const count = Math.max(channels.listenerCount(channel), own) + waitersHere(client, kind, name);
  return { count, counts: 'process', clients };
}

/** Whether any client waits. */
export function isWaitedFor({ count, clients = 0 }: Waiting): boolean {
  return count + clients > 0;
}

/** Turns foreign state into null: the key holds something else, so nothing of this kind. */
async function unlessForeign(description: Promise<Description | null>): Promise<Description | null> {
  try {
    return await description;
  } catch (error) {
    if (error instanceof ForeignStateError) return null;
    throw error;
  }
}

async function readLine({ scripts, keys }: RedisContext, name: string): Promise<readonly PlaceInLine[]> {
  const own = {
    queue: keys.fairQueue(name),
    deadlines: keys.fairDeadlines(name),
    contributions: keys.fairContributions(name),
  };
  const prepared = fairLineLook(own, { most: MOST_PLACES });
  const reply = await scripts.read({ kind: 'fairLock', name, key: own.queue, ...prepared });
  const line: PlaceInLine[] = [];
  for (let at = 1; at < reply.length; at += 3) {
    const owner = String(reply[at]);
    const lapsesInMs = reply[at + 1] === '' ? undefined : Number(reply[at + 1]) - Number(reply[0]);
    line.push({ owner, program: programOf(owner), lapsesInMs, count: Number(reply[at + 2]) });
  }
  return line;
}

function permitHolder(holder: HolderView & { readonly permits: number }): HolderSighting {
  const { owner, permits, remainingMs } = holder;
  const endsInMs = remainingMs > NEVER_MS ? Infinity : remainingMs;
  return { owner, program: programOfPermit(owner), remainingMs: endsInMs, count: permits };
}
