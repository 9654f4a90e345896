import type { Unwatch } from '../../spi/engine/protocol.ts';
import type { DeadOwners, OwnerId } from '../../spi/rule.ts';
import type { RowPoller } from '../sql/cells/row-poller.ts';
import type { ChangeFeed } from '../sql/cells/change-feed.ts';
import { ALL_WAITERS } from '../sql/cells/wake-message.ts';
import type { DeadClients } from './liveness/dead-clients.ts';
import type { WalWatch } from './file/wal-watch.ts';

/** A cell that owners of this client wait for, and the clients whose death would matter to them. */
interface AwaitedCell {
  readonly kind: string;
  readonly name: string;
  waiters: number;
  /** The clients that are followed for this cell. */
  readonly clients: Set<string>;
  /** The clients that were in the way of the last decision. */
  inTheWay: Set<string>;
}

/**
 * How many clients in the way are probed and followed: the holder, and the first of the queue. Following all would be a
 * connection from every waiter to every other.
 */
const FIRST = 3;

export interface SqliteChangeFeedParts {
  readonly rows: RowPoller;
  readonly wal: WalWatch;
  readonly deadClients: DeadClients;
}

/**
 * Hears of changes from the log of the file, and of deaths from the connections of the dead. The rules themselves say
 * whose death matters: they ask about each client in the way of a decision, and about no other.
 */
export class SqliteChangeFeed implements ChangeFeed {
  readonly #parts: SqliteChangeFeedParts;
  readonly #awaited = new Map<string, AwaitedCell>();
  readonly #listeners = new Set<() => void>();

  constructor(parts: SqliteChangeFeedParts) {
    this.#parts = parts;
  }

  async watch(kind: string, name: string, owner: OwnerId, heard: () => void): Promise<Unwatch> {
    const { rows, wal } = this.#parts;
    wal.begin();
    const unwatch = await rows.watch(kind, name, owner, heard);
    const key = `${kind}:${name}`;
    const awaited = this.#awaited.get(key) ?? awaitedCell(kind, name);
    this.#awaited.set(key, awaited);
    awaited.waiters++;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      unwatch();
      if (--awaited.waiters === 0) this.#forget(key, awaited);
      this.#endIfIdle();
    };
  }

  watching(kind: string, name: string): number {
    return this.#parts.rows.watching(kind, name);
  }

  seen(kind: string, name: string): string | undefined {
    return this.#parts.rows.seen(kind, name);
  }

  dead(kind: string, name: string): DeadOwners {
    const { deadClients: deaths } = this.#parts;
    const awaited = this.#awaited.get(`${kind}:${name}`);
    const inTheWay = new Set<string>();
    if (awaited !== undefined) this.#beginDecision(awaited, inTheWay);
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
      // A death is reported by itself, so there is no need to ask again before.
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
      this.#endIfIdle();
    };
  }

  /** Reads the rows and reports a change: the log has changed. */
  noteChange(): void {
    this.#parts.rows.look();
    for (const listener of this.#listeners) listener();
  }

  /** Wakes the waiters for cells that the dead client held or queued in: they try again, and find it dead. */
  noteDeath(client: string): void {
    for (const { kind, name, clients } of this.#awaited.values()) {
      if (clients.delete(client)) this.#parts.rows.tell(kind, name, ALL_WAITERS);
    }
  }

  close(): void {
    this.#parts.wal.end();
    this.#parts.deadClients.close();
  }

  #isAwaited(awaited: AwaitedCell): boolean {
    return this.#awaited.get(`${awaited.kind}:${awaited.name}`) === awaited;
  }

  /** Stops following the clients that were not in the way of the last decision. */
  #beginDecision(awaited: AwaitedCell, inTheWay: Set<string>): void {
    for (const client of awaited.clients) {
      if (!awaited.inTheWay.has(client)) this.#unfollow(awaited, client);
    }
    awaited.inTheWay = inTheWay;
  }

  #forget(key: string, awaited: AwaitedCell): void {
    if (this.#awaited.get(key) === awaited) this.#awaited.delete(key);
    for (const client of awaited.clients) this.#unfollow(awaited, client);
  }

  #unfollow(awaited: AwaitedCell, client: string): void {
    awaited.clients.delete(client);
    for (const { clients } of this.#awaited.values()) if (clients.has(client)) return;
    this.#parts.deadClients.unfollow(client);
  }

  #endIfIdle(): void {
    if (this.#awaited.size === 0 && this.#listeners.size === 0) this.#parts.wal.end();
  }
}

function awaitedCell(kind: string, name: string): AwaitedCell {
  return { kind, name, waiters: 0, clients: new Set(), inTheWay: new Set() };
}
