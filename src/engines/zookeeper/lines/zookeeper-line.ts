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
import type { AccessRule } from '../client/protocol/access-rule.ts';
import type { CreatedNode } from '../client/protocol/node-operations.ts';
import type { ZooKeeperClient } from '../client/zookeeper-client.ts';
import { createFolder } from '../nodes/create-folder.ts';
import { childrenOf, deleteIfThere, syncedChildrenOf } from '../nodes/folder-requests.ts';
import { explainError, hasCode } from '../explain-error.ts';
import { lineFolder } from '../layout/node-path.ts';
import { encodeTicketData } from '../layout/ticket-data.ts';
import {
  isTicketId,
  protectedPrefix,
  sequenceOf,
  ticketIdOf,
  ticketPrefix,
  ticketsIn,
} from '../layout/ticket-names.ts';
import { OwnTickets } from './own-tickets.ts';
import { Proclamations } from './proclamations.ts';
import { seenTicket } from './seen-ticket.ts';
import { watchFolder } from '../nodes/watch-folder.ts';
import { watchNode } from '../nodes/watch-node.ts';
import type { ZooKeeperLiveness } from '../zookeeper-liveness.ts';

export interface ZooKeeperLineOptions {
  readonly liveness: ZooKeeperLiveness;
  readonly label: string;
  readonly access: readonly AccessRule[];
  /** Curator's namespace: in front of every path. */
  readonly root: string;
}

/**
 * Lines in Curator's layout: a folder, and below it one ephemeral sequential node for each ticket, with the id of the ticket in
 * its name. Curator's recipes stand in the same lines.
 */
export class ZooKeeperLine implements TicketLine {
  readonly joinsUnder = true;
  readonly #options: ZooKeeperLineOptions;
  readonly #own = new OwnTickets();
  readonly #proclamations: Proclamations;

  constructor(options: ZooKeeperLineOptions) {
    this.#options = options;
    this.#proclamations = new Proclamations(options.root, options.access);
  }

  join(line: LineName, ask: JoinAsk): Promise<JoinAnswer> {
    return this.#ask(line, async (client, folder) => {
      if (this.#options.liveness.session !== ask.session) throw new SessionEndedError(this.#subject(line));
      // One list more for a single attempt that succeeds, and none of its nodes in the way of others when it does not. With `sync`:
      // a follower may still show the ticket of a hold whose release the caller of this attempt has awaited.
      if (ask.ifEmpty === true && (await syncedChildrenOf(client, folder)).length > 0)
        return { kind: 'not-empty' };
      for (;;) {
        try {
          return await this.#createAndList(client, line, folder, ask);
        } catch (error) {
          // The race: the server removes a container that has no children, also between the two requests here.
          if (!hasCode(error, 'NO_NODE')) throw error;
          await createFolder(client, folder, 'container', this.#options.access);
        }
      }
    });
  }

  /**
   * The tempting alternative lists without `sync`. The session may go on at a follower that has not yet carried out the create
   * which the server before it has accepted: the ticket is not found, made again, and the owner waits behind its own.
   */
  find(line: LineName, id: OwnerId): Promise<Joined | undefined> {
    return this.#ask(line, async (client, folder) => {
      const nodes = await syncedChildrenOf(client, folder);
      const node = nodes.find((one) => one.startsWith(protectedPrefix(id)));
      const stat = node === undefined ? undefined : await client.exists(`${folder}/${node}`);
      if (node === undefined || stat?.ephemeralOwner !== client.session?.id) return undefined;
      this.#own.set(folder, id, { kind: line.kind, node, fence: Number(stat!.czxid) });
      return this.#joined(line, folder, id, nodes);
    });
  }

  list(line: LineName, age?: 'fresh'): Promise<Listing> {
    const nodesIn = age === 'fresh' ? syncedChildrenOf : childrenOf;
    return this.#ask(line, async (client, folder) =>
      this.#listing(line, folder, await nodesIn(client, folder)),
    );
  }

  look(line: LineName): Promise<readonly SeenTicket[]> {
    return this.#ask(line, async (client, folder) => {
      const nodes = await syncedChildrenOf(client, folder);
      const byId = new Map(nodes.map((node) => [ticketIdOf(node), node]));
      const tickets = ticketsIn(line.kind, nodes, ticketIdOf);
      const seen = tickets.map(async (ticket) => {
        const [found, said] = await Promise.all([
          seenTicket(client, line, ticket, `${folder}/${byId.get(ticket.id)!}`),
          line.kind === 'election' ? this.#proclamations.read(client, folder, ticket.id) : undefined,
        ]);
        return found && said !== undefined ? { ...found, value: said } : found;
      });
      return (await Promise.all(seen)).filter((ticket) => ticket !== undefined);
    });
  }

  leave(line: LineName, id: OwnerId): Promise<'left' | 'absent'> {
    return this.#ask(line, async (client, folder) => {
      const nodes = await this.#nodesOf(client, folder, id);
      const [deleted] = await Promise.all([
        Promise.all(nodes.map((node) => deleteIfThere(client, `${folder}/${node}`))),
        line.kind === 'election' && this.#proclamations.delete(client, folder, ticketIdOf(id)),
      ]);
      this.#own.delete(folder, id);
      return deleted.includes(true) ? 'left' : 'absent';
    });
  }

  write(line: LineName, id: OwnerId, value: Json): Promise<'written' | 'absent'> {
    return this.#ask(line, async (client, folder) => {
      const [node] = await this.#nodesOf(client, folder, id);
      return node === undefined ? 'absent' : this.#proclamations.write(client, folder, { id, node }, value);
    });
  }

  watch(line: LineName, id: OwnerId, gone: () => void): Promise<Unwatch | undefined> {
    return this.#ask(line, async (client, folder) => {
      const node = isTicketId(id) ? this.#own.get(folder, id)?.node : id;
      return node === undefined ? undefined : watchNode(client, `${folder}/${node}`, gone);
    });
  }

  /** Those of other clients go by the names of their nodes: see {@link ticketsIn}. */
  isOwn(_line: LineName, id: OwnerId): boolean {
    return isTicketId(id);
  }

  observe(line: LineName, changed: () => void): Promise<Unwatch> {
    const { liveness } = this.#options;
    return this.#ask(line, async (client, folder) => {
      const unwatch = await watchFolder(client, liveness, folder, changed);
      const said = await watchFolder(client, liveness, this.#proclamations.folderOf(folder), changed);
      return () => {
        unwatch();
        said();
      };
    });
  }

  /** The node of a hold of this client, by its fence. */
  pathOf(fence: bigint): string | undefined {
    return this.#own.pathOf(fence);
  }

  /** The session has ended, and every ticket with it. */
  forget(): void {
    this.#own.clear();
  }

  /** One round trip: the server answers both in the order in which they were sent, so that the list shows the new node. */
  async #createAndList(
    client: ZooKeeperClient,
    line: LineName,
    folder: string,
    ask: JoinAsk,
  ): Promise<Joined> {
    const above = ask.under === undefined ? undefined : this.#own.get(folder, ask.under);
    if (ask.under !== undefined && above === undefined) throw new SessionEndedError(this.#subject(line));
    const prefix = `${folder}/${ticketPrefix(line.kind, ask.id, ask.side)}`;
    const data = encodeTicketData(line.kind, ask);
    const { access } = this.#options;
    const creating =
      above === undefined
        ? client.create(prefix, data, 'ephemeral-sequential', access)
        : client.create(prefix + sequenceOf(line.kind, above.node), data, 'ephemeral', access);
    // A ticket of this id that was taken away: its name must not stand for the new one, should the answer be lost.
    this.#own.delete(folder, ask.id);
    const [created, listed] = await Promise.allSettled([creating, client.getChildren(folder)]);
    if (created.status === 'rejected') throw created.reason;
    this.#keep(line, ask.id, folder, created.value, above?.fence);
    if (listed.status === 'rejected') throw listed.reason;
    return this.#joined(line, folder, ask.id, listed.value.names);
  }

  /** A read under a write has the fence of the write: its own number is above those of writers that wait already. */
  #keep(
    { kind }: LineName,
    id: OwnerId,
    folder: string,
    { path, stat }: CreatedNode,
    fence = Number(stat.czxid),
  ): void {
    this.#own.set(folder, id, { kind, node: path.slice(folder.length + 1), fence });
  }

  #joined(line: LineName, folder: string, id: OwnerId, nodes: readonly string[]): Joined {
    const listing = this.#listing(line, folder, nodes);
    const { node, fence } = this.#own.get(folder, id)!;
    const [ticket] = ticketsIn(line.kind, [node], ticketIdOf);
    return { kind: 'joined', ticket: ticket!, fence, listing };
  }

  #listing({ kind }: LineName, folder: string, nodes: readonly string[]): Listing {
    const idOf = (node: string): OwnerId => {
      const id = ticketIdOf(node);
      return this.#own.has(folder, id) ? id : node;
    };
    return { tickets: ticketsIn(kind, nodes, idOf) };
  }

  /** The nodes of a ticket: known for those of this client, unless the answer to the create was lost. */
  async #nodesOf(client: ZooKeeperClient, folder: string, id: OwnerId): Promise<readonly string[]> {
    if (!isTicketId(id)) return [id];
    const own = this.#own.get(folder, id);
    if (own !== undefined) return [own.node];
    return (await syncedChildrenOf(client, folder)).filter((node) => node.startsWith(protectedPrefix(id)));
  }

  #subject({ kind, name }: LineName) {
    return subjectOf(kind === 'semaphoreLease' ? 'semaphore' : kind, name, this.#options.label);
  }

  async #ask<T>(
    line: LineName,
    request: (client: ZooKeeperClient, folder: string) => Promise<T>,
  ): Promise<T> {
    const subject = this.#subject(line);
    const { liveness, root } = this.#options;
    try {
      return await request(liveness.client(subject), root + lineFolder(line.kind, line.name));
    } catch (error) {
      throw explainError(error, subject);
    }
  }
}
