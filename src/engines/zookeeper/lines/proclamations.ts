import type { Json } from '../../../spi/json.ts';
import type { OwnerId } from '../../../spi/rule.ts';
import type { AccessRule } from '../client/protocol/access-rule.ts';
import type { ZooKeeperClient } from '../client/zookeeper-client.ts';
import { createFolder } from '../nodes/create-folder.ts';
import { hasCode } from '../explain-error.ts';
import { deleteIfThere } from '../nodes/folder-requests.ts';
import { encodeNodeName, OWN_FOLDER } from '../layout/node-path.ts';
import { decodeTicketData, encodeTicketData } from '../layout/ticket-data.ts';

/**
 * What a leader says after its campaign: an ephemeral node of its own for each ticket, in a folder beside the line.
 *
 * The tempting alternative writes into the node of the ticket. The follower of a LeaderLatch watches that node, and Curator places
 * the watch again only when the node is deleted: after one change of its data the follower hears of nothing, and does not lead
 * when the leader resigns. So Java shows what the leader said when it campaigned.
 */
export class Proclamations {
  readonly #root: string;
  readonly #access: readonly AccessRule[];

  constructor(root: string, access: readonly AccessRule[]) {
    this.#root = root;
    this.#access = access;
  }

  /** The folder of those that belong to one line. The same for a client with a namespace and one with that folder as its chroot. */
  folderOf(line: string): string {
    return `${this.#root}${OWN_FOLDER}/proclaimed/${encodeNodeName(line.slice(this.#root.length))}`;
  }

  /**
   * Only as long as the ticket stands. The race: another client takes the ticket away while this is on its way, and the next leader
   * is shown with what this one says.
   */
  async write(
    client: ZooKeeperClient,
    line: string,
    ticket: { readonly id: OwnerId; readonly node: string },
    value: Json,
  ): Promise<'written' | 'absent'> {
    const check = { type: 'check', path: `${line}/${ticket.node}` } as const;
    const path = this.#pathOf(line, ticket.id);
    const data = encodeTicketData('election', { fences: 1, value });
    for (let type: 'create' | 'set' = 'create'; ;) {
      try {
        const step =
          type === 'create'
            ? ({ type, path, data, mode: 'ephemeral', access: this.#access } as const)
            : { type, path, data };
        await client.multi([check, step]);
        return 'written';
      } catch (error) {
        if (hasCode(error, 'NODE_EXISTS')) type = 'set';
        else if (!hasCode(error, 'NO_NODE')) throw error;
        else if ((await client.exists(check.path)) === undefined) return 'absent';
        else {
          await createFolder(client, this.folderOf(line), 'container', this.#access);
          type = 'create';
        }
      }
    }
  }

  /** Undefined if the leader has said nothing since its campaign. */
  async read(client: ZooKeeperClient, line: string, id: OwnerId): Promise<Json | undefined> {
    try {
      return decodeTicketData('election', (await client.getData(this.#pathOf(line, id))).data).value;
    } catch (error) {
      if (hasCode(error, 'NO_NODE')) return undefined;
      throw error;
    }
  }

  async delete(client: ZooKeeperClient, line: string, id: OwnerId): Promise<void> {
    await deleteIfThere(client, this.#pathOf(line, id));
  }

  #pathOf(line: string, id: OwnerId): string {
    return `${this.folderOf(line)}/${id}`;
  }
}
