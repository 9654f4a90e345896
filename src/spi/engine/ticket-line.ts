import type { Program } from '../api/client-card.ts';
import type { Json } from '../json.ts';
import type { MaybeAsync } from '../maybe-async.ts';
import type { OwnerId } from '../rule.ts';
import type { Side } from '../verbs/read-write-lock.ts';
import type { Unwatch } from './protocol.ts';

/** Which line: the kind of a synchronizer, and its name. */
export interface LineName {
  readonly kind: string;
  readonly name: string;
}

/** What a ticket asks for. All that a rule of a line needs to know of it, and so all that a list has to show. */
export interface TicketClaim {
  /** Which side of a read-write lock. A ticket without a side excludes all others. */
  readonly side?: Side;
  /** How many permits of a semaphore; one where it is missing. */
  readonly permits?: number;
  /** Of how many permits in all, where the layout has room for that. */
  readonly total?: number;
}

/**
 * One ticket of a line as a list shows it. A list names no more: ZooKeeper lists names only, and to read every node for its
 * contents would cost a request for each waiter.
 */
export interface LineTicket extends TicketClaim {
  /** Given by the client that joined: its owner id. Used for one ticket only. */
  readonly id: OwnerId;
  /**
   * Its position: a lower one is served first. Grows with every ticket that joins while the line is not empty (a sequence
   * number, a create revision). Two tickets share one only where the second joined `under` the first.
   */
  readonly order: number;
}

/** The tickets of a line at one moment, the first one first. */
export interface Listing {
  readonly tickets: readonly LineTicket[];
  /**
   * What the history of the store had reached, where a layout takes the fence from the answer that proves the hold (etcd).
   * Where it is missing the fence is that of the ticket (ZooKeeper: its `czxid`).
   */
  readonly revision?: number;
}

/** A ticket as a query sees it. */
export interface SeenTicket extends LineTicket {
  readonly program: Program;
  readonly session: string;
  /** When it joined, in milliseconds since the epoch by the store's clock, where the store keeps that. */
  readonly joinedAt?: number;
  readonly fence: number;
  /** How many fences from `fence` on were reserved with it. */
  readonly fences: number;
  /** What a leader says. */
  readonly value: Json;
}

/** What a client asks for when it joins a line. */
export interface JoinAsk extends TicketClaim {
  readonly id: OwnerId;
  /** The session that the ticket is to belong to. A store whose session is another one by now rejects. */
  readonly session: string;
  readonly fences: number;
  readonly value: Json;
  /** A single attempt: the store need not join a line in which others stand, if it can see that in the same step. */
  readonly ifEmpty?: true;
  /** The ticket whose position and fence the new one shares: a read side that is taken under a write. See `joinsUnder`. */
  readonly under?: OwnerId;
}

/** A ticket that stands, its fence, and the line as it was when the ticket stood in it. */
export interface Joined {
  readonly kind: 'joined';
  readonly ticket: LineTicket;
  readonly fence: number;
  readonly listing: Listing;
}

/** `not-empty`: there is no ticket, because the line was not empty and the client asked for nothing else. */
export type JoinAnswer = Joined | { readonly kind: 'not-empty' };

/**
 * Ordered tickets that die with the session of the client that joined: ephemeral sequential nodes of ZooKeeper, keys under a
 * lease ordered by their create revision in etcd.
 *
 * A method that rejects with a retryable `EngineError` leaves its outcome unknown; one that rejects otherwise, or with a
 * `StoreFullError`, has done nothing. Requests of one client are carried out in the order of the calls as long as the connection stands, and once a
 * request was answered on a later connection of the session none of an earlier connection is carried out any more. A store that cannot
 * promise the second resolves `find` and `leave` only when no earlier `join` of that id can happen.
 */
export interface TicketLine {
  /**
   * Joins at the end, and lists the line in the same round trip: pipelined, or in one transaction. The list shows every
   * ticket that is ahead; it may still show some that have gone.
   */
  join(line: LineName, ask: JoinAsk): Promise<JoinAnswer>;
  /** The ticket of this id, if a `join` whose answer was lost has made it. The first one, if it was made twice. */
  find(line: LineName, id: OwnerId): Promise<Joined | undefined>;
  /**
   * The tickets in line. It may still show some that have gone, unless it is `fresh`: then it shows all that any client had done
   * before. A single attempt needs that: a release that its caller has seen must not be in its way.
   */
  list(line: LineName, age?: 'fresh'): Promise<Listing>;
  /** The same for queries. Sees what any client has done before, at the price of more requests. */
  look(line: LineName): Promise<readonly SeenTicket[]>;
  /** Takes away every ticket of this id, of whichever session. */
  leave(line: LineName, id: OwnerId): Promise<'left' | 'absent'>;
  /** Changes what a ticket says. */
  write(line: LineName, id: OwnerId, value: Json): Promise<'written' | 'absent'>;
  /**
   * Calls once when this ticket has gone, and ends with that. The watch survives reconnects within the session, and reports afterwards a
   * ticket that went meanwhile. Undefined if the ticket is not there: then nothing watches.
   *
   * Where lists have no `revision` the calls keep the order in which the tickets went, and come before the answer to any request
   * that the store carried out later, as long as the session is not `suspended`: a waiter may be in by such a call alone.
   */
  watch(line: LineName, id: OwnerId, gone: () => void): Promise<Unwatch | undefined>;
  /**
   * Whether a ticket that a list has shown is of the session of this client. All tickets of a session go in one step when it ends,
   * and are reported in any order.
   */
  isOwn(line: LineName, id: OwnerId): boolean;
  /** Calls after changes of a line, for those who observe it without a ticket. May call without cause. */
  observe(line: LineName, changed: () => void): MaybeAsync<Unwatch>;
  /**
   * Whether a ticket can join `under` another one. Where it cannot, the reader under a write keeps the ticket of the write: any
   * new one would stand behind the writers that wait, and the first of them would enter beside the reader.
   */
  readonly joinsUnder: boolean;
}
