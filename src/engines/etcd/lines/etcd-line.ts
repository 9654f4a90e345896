import { subjectOf } from '../../../core/arguments.ts';
import { SessionEndedError } from '../../../spi/errors.ts';
import type {
  JoinAnswer,
  JoinAsk,
  Joined,
  LineName,
  Listing,
  SeenTicket,
  TicketLine,
} from '../../../spi/engine/ticket-line.ts';
import type { Unwatch } from '../../../spi/engine/protocol.ts';
import type { Json } from '../../../spi/json.ts';
import type { OwnerId } from '../../../spi/rule.ts';
import { compareCompareTarget, type KeyValue } from '../client/messages/etcd-messages.generated.ts';
import type { EtcdClient } from '../client/session/etcd-client.ts';
import type { EtcdStore } from '../etcd-store.ts';
import { explainEtcdError, isLeaseGone } from '../explain-etcd-error.ts';
import { OWN_PREFIX } from '../layout/etcd-keys.ts';
import { deleteTicket } from './delete-ticket.ts';
import { findTicket } from './find-ticket.ts';
import { JoinOrder } from './join-order.ts';
import { type LineRange, listOf, rangeOfLine } from './line-range.ts';
import { ticketSuffix } from '../layout/ticket-keys.ts';
import { encodeTicketValue } from '../layout/ticket-value.ts';
import { LineSights, type TicketSight } from './line-sights.ts';
import { readSeenTicket, readTicket } from './read-ticket.ts';
import { settleFullJoin } from './settle-full-join.ts';
import { TicketWrites } from './ticket-writes.ts';
import { SessionEpoch } from './session-epoch.ts';
import { watchPrefix } from '../watch-prefix.ts';
import { watchTicket } from './watch-ticket.ts';

const { CREATE } = compareCompareTarget;
const ABSENT = 0n;
/** Any client may name a permit by its id, and the value of an election is what its leader says: it has no room for the owner. */
const NAMED_BY_OWNER: ReadonlySet<string> = new Set(['permitSemaphore', 'election']);

/**
 * Lines in the layout of etcd's concurrency package: one key under the lease of its client for each ticket, all below the name of
 * the line, served in the order of their create revisions. Programs that use that package, and `etcdctl`, stand in the same lines.
 */
export class EtcdLine implements TicketLine {
  /** A key that is written now has a later revision than those of all who wait: the first of them would be ahead. */
  readonly joinsUnder = false;
  readonly #store: EtcdStore;
  readonly #sights = new LineSights();
  readonly #joins = new JoinOrder();
  readonly #writes = new TicketWrites();
  #epoch: { readonly session: string; readonly epoch: SessionEpoch } | undefined;

  constructor(store: EtcdStore) {
    this.#store = store;
  }

  join(line: LineName, ask: JoinAsk): Promise<JoinAnswer> {
    const { prefix } = this.#rangeOf(line);
    const settled = (client: EtcdClient, range: LineRange): Promise<JoinAnswer> =>
      settleFullJoin(this.#join(client, range, line, ask), async () =>
        this.#joined(range, ask.id, await this.#list(client, line, range)),
      );
    const join = () => this.#sights.join(prefix, ask.id, () => this.#ask(line, settled));
    return this.#joins.inTurn(prefix, join);
  }

  async #join(client: EtcdClient, range: LineRange, line: LineName, ask: JoinAsk): Promise<JoinAnswer> {
    const { liveness } = this.#store;
    const { session, lease } = liveness;
    if (session === undefined || lease === undefined || session !== ask.session) throw this.#ended(line);
    const epoch = this.#epochOf(session, lease);
    this.#sights.begin(range.prefix, ask.id);
    const owner = NAMED_BY_OWNER.has(line.kind) ? undefined : ask.id;
    const place = owner === undefined ? ask.id : this.#sights.placeOf(range.prefix, owner)!;
    const key = Buffer.from(range.prefix + ticketSuffix(line.kind, session, place, ask));
    const others = { target: CREATE, key: range.key, rangeEnd: range.rangeEnd, createRevision: ABSENT };
    const value = encodeTicketValue(line.kind, {
      ...ask,
      joinedAt: this.#store.clock.epochNow(),
      ...(owner !== undefined && { owner }),
    });
    for (;;) {
      const sentIn = epoch.revision;
      const { succeeded, responses, header } = await client.txn({
        compare: [
          { target: CREATE, key, createRevision: ABSENT },
          epoch.comparison,
          ...(ask.ifEmpty === true ? [others] : []),
        ],
        success: [{ requestPut: { key, value, lease } }, { requestRange: listOf(range) }],
        failure: [{ requestRange: { key: epoch.key } }, { requestRange: listOf(range) }],
      });
      const found = responses[1]!.responseRange!.kvs;
      const listing = this.#listing(line, range, header!.revision, found);
      const joined = this.#joined(range, ask.id, listing);
      // Not by this request if it did not succeed: an earlier copy, whose answer was lost, has made the ticket.
      if (joined !== undefined) return joined;
      // The ticket was made at a revision that this client has seen before: an operator has restored the store to an earlier one.
      if (succeeded) this.#store.liveness.lose(client);
      const isIn = responses[0]!.responseRange?.kvs[0]?.modRevision ?? 0n;
      // The key of the epoch is bound to the lease: it has gone with it.
      if (succeeded || isIn < sentIn) throw this.#ended(line);
      if (isIn > sentIn) {
        epoch.adopt(isIn);
        continue;
      }
      this.#sights.end(range.prefix, ask.id);
      return { kind: 'not-empty' };
    }
  }

  find(line: LineName, id: OwnerId): Promise<Joined | undefined> {
    return this.#ask(line, async (client, range) => {
      await this.#forbidEarlierJoins(client);
      return this.#joined(range, id, await this.#list(client, line, range));
    });
  }

  /** Every read asks the leader, so that it shows all that any client had done before. */
  list(line: LineName): Promise<Listing> {
    return this.#ask(line, (client, range) => this.#list(client, line, range));
  }

  look(line: LineName): Promise<readonly SeenTicket[]> {
    return this.#ask(line, async (client, range) => {
      const { kvs } = await client.range({ ...listOf(range), keysOnly: false });
      return kvs.map((kv) => {
        const { ticket, said } = readSeenTicket(this.#sights, line.kind, range, kv);
        const { isOurs, place: _place, ...seen } = ticket;
        const program = isOurs ? 'holdfast' : 'other';
        return { ...seen, ...said, program, fence: Number(kv.createRevision) } as const;
      });
    });
  }

  async leave(line: LineName, id: OwnerId): Promise<'left' | 'absent'> {
    if (this.#sights.wasRefused(id)) return 'absent';
    return this.#ask(line, async (client, range) => {
      const seen = this.#sights.get(range.prefix, id);
      const isAnswered = seen !== undefined || !this.#sights.isOwn(range.prefix, id);
      if (!isAnswered) await this.#forbidEarlierJoins(client);
      const ticket = seen ?? (await findTicket(client, this.#sights, line, range, id));
      if (ticket === undefined) {
        this.#sights.end(range.prefix, id);
        return 'absent';
      }
      const { answer, revision } = await deleteTicket(client, ticket, line.kind);
      this.#sights.note(revision);
      this.#writes.forget(ticket.key);
      this.#sights.end(range.prefix, id);
      return answer;
    });
  }

  write(line: LineName, id: OwnerId, value: Json): Promise<'written' | 'absent'> {
    return this.#ask(line, async (client, range) => {
      const { lease } = this.#store.liveness;
      const ticket =
        this.#sights.get(range.prefix, id) ?? (await findTicket(client, this.#sights, line, range, id));
      if (ticket === undefined || lease === undefined) return 'absent';
      const said = encodeTicketValue(line.kind, { fences: 1, value });
      return this.#writes.write(client, ticket, { value: said, lease });
    });
  }

  watch(line: LineName, id: OwnerId, gone: () => void): Promise<Unwatch | undefined> {
    return this.#ask(line, async (client, range) => {
      const seen = this.#sights.get(range.prefix, id);
      return seen === undefined ? undefined : watchTicket(client, seen, gone);
    });
  }

  isOwn(line: LineName, id: OwnerId): boolean {
    return this.#sights.isOwn(this.#rangeOf(line).prefix, id);
  }

  observe(line: LineName, changed: () => void): Promise<Unwatch> {
    return this.#ask(line, (client, { prefix }) => watchPrefix(client, prefix, changed));
  }

  /** The key of a ticket of this client, and the revision that made it. */
  sightOf(line: LineName, id: OwnerId): TicketSight | undefined {
    const { prefix } = this.#rangeOf(line);
    return this.#sights.isOwn(prefix, id) ? this.#sights.get(prefix, id) : undefined;
  }

  /** The session has ended, and every ticket with it. */
  forget(): void {
    this.#sights.clear();
    this.#writes.clear();
    this.#epoch = undefined;
  }

  async #list(client: EtcdClient, line: LineName, range: LineRange): Promise<Listing> {
    const { kvs, header } = await client.range(listOf(range));
    return this.#listing(line, range, header!.revision, kvs);
  }

  #listing(line: LineName, range: LineRange, revision: bigint, kvs: readonly KeyValue[]): Listing {
    const sights = new Map<OwnerId, TicketSight>();
    const tickets = kvs.map((kv) => {
      const ticket = readTicket(this.#sights, line.kind, range, kv);
      const key = Buffer.from(kv.key).toString();
      sights.set(ticket.id, { key, createRevision: kv.createRevision, seenAt: revision });
      return ticket;
    });
    this.#sights.record(range.prefix, revision, sights);
    return { tickets, revision: Number(revision) };
  }

  #joined({ prefix }: LineRange, id: OwnerId, listing: Listing): Joined | undefined {
    const ticket = listing.tickets.find((one) => one.id === id);
    if (ticket === undefined) return undefined;
    this.#sights.begin(prefix, id);
    return { kind: 'joined', ticket, fence: listing.revision!, listing };
  }

  async #forbidEarlierJoins(client: EtcdClient): Promise<void> {
    const { session, lease } = this.#store.liveness;
    if (session !== undefined && lease !== undefined) await this.#epochOf(session, lease).advance(client);
  }

  #epochOf(session: string, lease: bigint): SessionEpoch {
    if (this.#epoch?.session !== session) {
      const key = `${this.#store.root}${OWN_PREFIX}sessions/${session}`;
      this.#epoch = { session, epoch: new SessionEpoch(key, lease) };
    }
    return this.#epoch.epoch;
  }

  #rangeOf(line: LineName): LineRange {
    return rangeOfLine(this.#store.root, line);
  }

  #ended({ kind, name }: LineName): SessionEndedError {
    return new SessionEndedError(subjectOf(kind, name, this.#store.label));
  }

  async #ask<T>(line: LineName, request: (client: EtcdClient, range: LineRange) => Promise<T>): Promise<T> {
    const { liveness, label } = this.#store;
    const subject = subjectOf(line.kind, line.name, label);
    const client = liveness.client(subject);
    try {
      return await request(client, this.#rangeOf(line));
    } catch (error) {
      if (!isLeaseGone(error)) throw explainEtcdError(error, subject);
      liveness.lose(client);
      throw this.#ended(line);
    }
  }
}
