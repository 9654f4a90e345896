import type { Unwatch } from '../../spi/engine/protocol.ts';
import type { DeadOwners, OwnerId } from '../../spi/rule.ts';
import type { RowPoller } from '../sql/cells/row-poller.ts';
import type { ChangeFeed } from '../sql/cells/change-feed.ts';
import { EVERYBODY } from '../sql/cells/wake-message.ts';
import type { DeadClients } from './dead-clients.ts';
import type { WalWatch } from './wal-watch.ts';

/** What somebody here waits for, and whose death would matter to it. */
interface Awaited {
  readonly kind: string;
  readonly name: string;
  waiters: number;
  /** Those who are followed for it. */
  readonly clients: Set<string>;
  /** Those who stood in the way of the last decision. */
  inTheWay: Set<string>;
}

/**
 * So many of those who stand in the way are looked at, and followed by those who wait: the holder, and the first of the
 * line. To follow all would be a connection from everybody in line to everybody else.
 */
const FIRST = 3;

export interface SqliteSignalsParts {
  readonly rows: RowPoller;
  readonly wal: WalWatch;
  readonly deaths: DeadClients;
}

/**
 * Hears of changes from the log of the file, and of deaths from those who die. Whose death matters is told by the rules
 * themselves: they ask about everybody who stands in the way of a decision, and about nobody else.
 */
export class SqliteSignals implements ChangeFeed {
  readonly #parts: SqliteSignalsParts;
  readonly #awaited = new Map<string, Awaited>();
  readonly #listeners = new Set<() => void>();

  constructor(parts: SqliteSignalsParts) {
    this.#parts = parts;
  }

  async watch(kind: string, name: string, owner: OwnerId, heard: () => void): Promise<Unwatch> {
    const { rows, wal } = this.#parts;
    wal.begin();
    const unwatch = await rows.watch(kind, name, owner, heard);
    const key = `${kind}:${name}`;
    const awaited = this.#awaited.get(key) ?? newlyAwaited(kind, name);
    this.#awaited.set(key, awaited);
    awaited.waiters++;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      unwatch();
      if (--awaited.waiters === 0) this.#forget(key, awaited);
      this.#rest();
    };
  }

  watching(kind: string, name: string): number {
    return this.#parts.rows.watching(kind, name);
  }

  seen(kind: string, name: string): string | undefined {
    return this.#parts.rows.seen(kind, name);
  }

  dead(kind: string, name: string): DeadOwners {
    const { deaths } = this.#parts;
    const awaited = this.#awaited.get(`${kind}:${name}`);
    const inTheWay = new Set<string>();
    if (awaited !== undefined) this.#decideAnew(awaited, inTheWay);
    return {
      has: (owner) => {
        const client = owner.slice(0, owner.lastIndexOf(':'));
        if (deaths.has(client)) return true;
        if (inTheWay.size >= FIRST || inTheWay.has(client)) return false;
        inTheWay.add(client);
        if (deaths.findOut(client)) return true;
        if (awaited !== undefined && this.#isAwaited(awaited) && !awaited.clients.has(client)) {
          awaited.clients.add(client);
          deaths.follow(client);
        }
        return false;
      },
      // Whoever dies is heard of: no need to ask again before.
      endsInMs: () => Number.MAX_SAFE_INTEGER,
    };
  }

  changes(told: (changed: undefined) => void): Unwatch {
    const { wal } = this.#parts;
    const listener = (): void => told(undefined);
    this.#listeners.add(listener);
    wal.begin();
    return () => {
      this.#listeners.delete(listener);
      this.#rest();
    };
  }

  /** The log has changed. */
  changed(): void {
    this.#parts.rows.look();
    for (const listener of this.#listeners) listener();
  }

  /** Those who waited for something that it had try again, and find that it is dead. */
  died(client: string): void {
    for (const { kind, name, clients } of this.#awaited.values()) {
      if (clients.delete(client)) this.#parts.rows.tell(kind, name, EVERYBODY);
    }
  }

  close(): void {
    this.#parts.wal.end();
    this.#parts.deaths.close();
  }

  #isAwaited(awaited: Awaited): boolean {
    return this.#awaited.get(`${awaited.kind}:${awaited.name}`) === awaited;
  }

  /** Those who were not in the way of the last decision are no longer followed for it. */
  #decideAnew(awaited: Awaited, inTheWay: Set<string>): void {
    for (const client of awaited.clients) {
      if (!awaited.inTheWay.has(client)) this.#unfollow(awaited, client);
    }
    awaited.inTheWay = inTheWay;
  }

  #forget(key: string, awaited: Awaited): void {
    if (this.#awaited.get(key) === awaited) this.#awaited.delete(key);
    for (const client of awaited.clients) this.#unfollow(awaited, client);
  }

  #unfollow(awaited: Awaited, client: string): void {
    awaited.clients.delete(client);
    for (const { clients } of this.#awaited.values()) if (clients.has(client)) return;
    this.#parts.deaths.unfollow(client);
  }

  #rest(): void {
    if (this.#awaited.size === 0 && this.#listeners.size === 0) this.#parts.wal.end();
  }
}

function newlyAwaited(kind: string, name: string): Awaited {
  return { kind, name, waiters: 0, clients: new Set(), inTheWay: new Set() };
}
