import type { Description, Kind, Sighting } from '../../../spi/engine/inspector.ts';
import { keySlot } from '../drivers/cluster/key-slot.ts';
import type { Describing } from '../../../kernels/inspector/describing.ts';
import { isWaitedFor, waitersHereOf } from './describe.ts';
import { lookAtLock } from './locks.ts';
import { AWAITED_PATTERNS, cellOf, keyBefore, keyBehind, toldOn } from './names.ts';
import type { InspectorListeners } from './listeners.ts';
import { type InspectorServers, SLICE } from './servers.ts';
import { escapeGlob } from '../keys.ts';
import type { RedisContext } from '../redis-context.ts';

const OURS = 'holdfast_';
const QUEUES = 'redisson_lock_queue';
const PERMITS = 'timeout';

export interface ListingOptions {
  readonly parts: RedisContext;
  readonly servers: InspectorServers;
  readonly listeners: InspectorListeners;
  readonly describe: Describing;
  /** Lists only names with this prefix. */
  readonly prefix: string;
  /** Throws when the listing has to stop. */
  readonly check: () => void;
}

/**
 * Lists once what is held or waited for. Locks of all kinds are hashes of a distinctive form, found among all hashes; lines
 * of free locks, among all lists; taken permits, among all sorted sets. Semaphores without holders and latches are bare
 * numbers: they are listed only while a client listens for them.
 */
export class KeyListing {
  readonly #options: ListingOptions;
  readonly #shown = new Set<string>();
  #clients: ReadonlyMap<string, number> = new Map();

  constructor(options: ListingOptions) {
    this.#options = options;
  }

  async *sightings(): AsyncGenerator<Sighting, void, undefined> {
    const { servers, listeners, check } = this.#options;
    check();
    this.#clients = await listeners.countAll(AWAITED_PATTERNS);
    for (const server of await servers.findMasters()) {
      for (const pattern of this.#hashPatterns())
        yield* this.#sightAmong(servers.scan(server, 'hash', pattern), this.#lookAtHash);
      yield* this.#sightAmong(servers.scan(server, 'list', `${QUEUES}:*`), this.#lookAtLine);
      yield* this.#sightAmong(servers.scan(server, 'zset', `*:${PERMITS}`), this.#lookAtPermits);
    }
    yield* this.#sightAmong(slicesOf([...this.#clients.keys()]), this.#lookAtChannel);
  }

  /** The keys of cells begin with the word of this library, not with the prefix of the name: they need a pattern of their own. */
  #hashPatterns(): readonly string[] {
    const { parts, prefix } = this.#options;
    const begins = parts.keys.of(prefix);
    return begins === '' ? ['*'] : [`${escapeGlob(begins)}*`, `${OURS}*`];
  }

  async *#sightAmong(
    slices: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
    lookAt: (one: string) => Promise<Sighting | undefined>,
  ): AsyncGenerator<Sighting, void, undefined> {
    for await (const slice of slices) {
      this.#options.check();
      for (const sighting of await Promise.all(slice.map(lookAt))) {
        if (sighting === undefined || this.#isShown(sighting.kind, sighting.name)) continue;
        this.#shown.add(idOf(sighting.kind, sighting.name));
        yield sighting;
      }
    }
  }

  readonly #lookAtHash = async (key: string): Promise<Sighting | undefined> => {
    const cell = cellOf(key);
    if (cell !== undefined) return this.#lookAtCell(cell.kinds[0]!, cell.key);
    const name = key.startsWith(OURS) ? undefined : this.#wanted(key);
    if (name === undefined) return undefined;
    const sighting = await this.#lookAtLock(name);
    return sighting?.holders.length === 0 ? undefined : sighting;
  };

  readonly #lookAtLine = async (queue: string): Promise<Sighting | undefined> => {
    const name = this.#wanted(keyBehind(QUEUES, queue));
    const sighting = name === undefined ? undefined : await this.#lookAtLock(name);
    return sighting?.kind === 'fairLock' ? sighting : undefined;
  };

  readonly #lookAtPermits = async (deadlines: string): Promise<Sighting | undefined> => {
    const name = this.#wanted(keyBefore(PERMITS, deadlines));
    if (name === undefined || this.#isSplit(name)) return undefined;
    const seen = await this.#options.describe.semaphore(name);
    return seen === null || seen.holders.length === 0 ? undefined : sightingOf(seen);
  };

  readonly #lookAtChannel = async (channel: string): Promise<Sighting | undefined> => {
    const told = toldOn(channel);
    const name = this.#wanted(told?.key);
    if (told === undefined || name === undefined) return undefined;
    // Both semaphores of one name are one record: the first kind stands for both.
    const kind = told.kinds[0]!;
    if (this.#isShown(kind, name)) return undefined;
    const seen = await this.#options.describe[kind](name);
    return seen !== null && isWaitedFor(seen.waiters) ? sightingOf(seen) : undefined;
  };

  async #lookAtCell(kind: Kind, key: string): Promise<Sighting | undefined> {
    const name = this.#wanted(key);
    const seen = name === undefined ? null : await this.#options.describe[kind](name);
    return seen !== null && isInUse(seen) ? sightingOf(seen) : undefined;
  }

  async #lookAtLock(name: string): Promise<Sighting | undefined> {
    const { parts } = this.#options;
    const { keys } = parts;
    if (this.#isSplit(name)) return undefined;
    const seen = await lookAtLock(parts, name);
    if (seen === undefined || !seen.isPlain) return undefined;
    const { holders, isReadWrite, inLine } = seen;
    if (!isReadWrite && inLine > 0)
      return { kind: 'fairLock', name, holders, waiters: { count: inLine, counts: 'fleet' } };
    const kind = isReadWrite ? 'readWriteLock' : 'lock';
    const channel = isReadWrite ? keys.readWriteChannel(name) : keys.lockChannel(name);
    const waiters = waitersHereOf(parts, kind, name, channel, this.#clients.get(channel) ?? 0);
    return { kind, name, holders, waiters };
  }

  /** The name of a key, if the key has our prefix and the name the requested one. */
  #wanted(key: string | undefined): string | undefined {
    const { parts, prefix } = this.#options;
    const name = key === undefined ? undefined : parts.keys.nameOf(key);
    return name !== undefined && name !== '' && name.startsWith(prefix) ? name : undefined;
  }

  /** Whether the keys of a name lie in two slots: on a cluster no client can use such a name, and no script can look at it. */
  #isSplit(name: string): boolean {
    const { keys, scripts } = this.#options.parts;
    return scripts.driver.topology === 'cluster' && keySlot(keys.of(name)) !== keySlot(keys.token(name));
  }

  #isShown(kind: Kind, name: string): boolean {
    return this.#shown.has(idOf(kind, name));
  }
}

function* slicesOf(all: readonly string[]): Generator<readonly string[], void, undefined> {
  for (let from = 0; from < all.length; from += SLICE) yield all.slice(from, from + SLICE);
}

/** The three lock kinds of one name are one hash, so they share one id. */
function idOf(kind: Kind, name: string): string {
  return `${['fairLock', 'readWriteLock'].includes(kind) ? 'lock' : kind}:${name}`;
}

function isInUse(seen: Description): boolean {
  if (seen.holders.length > 0 || isWaitedFor(seen.waiters)) return true;
  return seen.kind === 'monitor' && Object.keys(seen.conditions).length > 0;
}

function sightingOf({ kind, name, holders, waiters }: Description): Sighting {
  return { kind, name, holders, waiters };
}
