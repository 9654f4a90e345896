import { subjectOf } from '../../../core/arguments.ts';
import { WaiterCounts } from '../../../kernels/waiter-counts.ts';
import { EngineError, ForeignStateError } from '../../../spi/errors.ts';
import type { Unwatch } from '../../../spi/engine/protocol.ts';
import type { VersionedDocument, VersionedDocuments } from '../../../spi/engine/versioned-documents.ts';
import { ANY_VERSION, type NodeData } from '../client/protocol/node-operations.ts';
import type { ZooKeeperClient } from '../client/zookeeper-client.ts';
import { createFolder } from '../nodes/create-folder.ts';
import { explainError, hasCode } from '../explain-error.ts';
import { decodeDocument, encodeDocument } from '../layout/document-data.ts';
import { decodeLatch, encodeLatch } from '../layout/latch-data.ts';
import { encodeNodeName, nodePath, OWN_FOLDER, parentOf } from '../layout/node-path.ts';
import { watchFolder } from '../nodes/watch-folder.ts';
import { writeLatch } from './write-latch.ts';
import type { ZooKeeperLineOptions } from '../lines/zookeeper-line.ts';

/**
 * One persistent node for each document, two for a latch, and one ephemeral node for each client that documents name: a client lives as long as
 * its node stands.
 *
 * No document is ever deleted here: the versions of a node begin at zero again when it is made anew.
 */
export class ZooKeeperDocuments implements VersionedDocuments {
  readonly #options: ZooKeeperLineOptions;
  readonly #clients: string;
  readonly #watching = new WaiterCounts();

  constructor(options: ZooKeeperLineOptions) {
    this.#options = options;
    this.#clients = `${options.root}${OWN_FOLDER}/clients`;
  }

  /** With a `sync` in the same round trip: an answer that changes nothing is given on what was read, and must not be old. */
  read(kind: string, name: string): Promise<VersionedDocument> {
    return this.#ask(kind, name, async (client, path) => {
      const reading = async (): Promise<readonly [NodeData | undefined, NodeData | undefined]> => {
        const [, node, memory] = await Promise.all([
          client.sync(path),
          readIfThere(client, path),
          kind === 'latch' ? readIfThere(client, this.#memoryOf(path)) : undefined,
        ]);
        return [node, memory];
      };
      let [node, memory] = await reading();
      // A count and the memory of a later one: taken for a count of Java's, it would be of no round, and the waiter that looks again
      // would take the round of the same closed latch for one that has opened.
      while (node !== undefined && isOlder(node, memory)) [node, memory] = await reading();
      if (node !== undefined) return this.#documentIn(node, memory, kind, name);
      // Grows with every child that comes or goes: fences and rounds are then above those of a document that an operator deleted.
      const folder = await client.exists(parentOf(path));
      return { version: undefined, state: undefined, revision: Number(folder?.pzxid ?? 0n) };
    });
  }

  write(
    kind: string,
    name: string,
    expected: string | undefined,
    state: unknown,
  ): Promise<'written' | 'conflict'> {
    return this.#ask(kind, name, async (client, path) => {
      if (kind === 'latch') {
        const version = expected === undefined ? undefined : this.#versionIn(expected, kind, name);
        const paths = { count: path, memory: this.#memoryOf(path) };
        return writeLatch(client, paths, version, encodeLatch(state), this.#options.access);
      }
      const data = encodeDocument(state);
      try {
        if (expected === undefined) await this.#create(client, path, data, 'persistent');
        else await client.setData(path, data, this.#versionIn(expected, kind, name));
        return 'written';
      } catch (error) {
        const isConflict = (['NODE_EXISTS', 'BAD_VERSION', 'NO_NODE'] as const).some((code) =>
          hasCode(error, code),
        );
        if (isConflict) return 'conflict';
        throw error;
      }
    });
  }

  enter(clientId: string): Promise<void> {
    return this.#ask('client', clientId, async (client) => {
      try {
        await this.#create(client, this.#nodeOf(clientId), Buffer.alloc(0), 'ephemeral');
      } catch (error) {
        // Made by an earlier copy of this request, whose answer was lost: no other client has this id.
        if (!hasCode(error, 'NODE_EXISTS')) throw error;
      }
    });
  }

  /** A client enters before any document names it, so a server that has shown the document has seen the client enter. */
  living(clients: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#ask('client', clients.join(' '), async (client) => {
      const stats = await Promise.all(clients.map((one) => client.exists(this.#nodeOf(one))));
      return new Set(clients.filter((_, at) => stats[at] !== undefined));
    });
  }

  watch(kind: string, name: string, heard: () => void): Promise<Unwatch> {
    const { liveness } = this.#options;
    return this.#ask(kind, name, async (client, path) => {
      const unwatch = await watchFolder(client, liveness, path, heard);
      let unwatchClients: Unwatch;
      try {
        unwatchClients = await watchFolder(client, liveness, this.#clients, heard, 'deleted');
      } catch (error) {
        // No caller gets what would end the first watch: it would call for as long as the session lasts.
        unwatch();
        throw error;
      }
      const uncount = this.#watching.watch(path);
      return () => {
        uncount();
        unwatch();
        unwatchClients();
      };
    });
  }

  /** How many watchers of this client a document has. */
  watching(kind: string, name: string): number {
    return this.#watching.count(this.#options.root + nodePath(kind, name));
  }

  async #create(
    client: ZooKeeperClient,
    path: string,
    data: Buffer,
    mode: 'persistent' | 'ephemeral',
  ): Promise<void> {
    const { access } = this.#options;
    try {
      await client.create(path, data, mode, access);
    } catch (error) {
      if (!hasCode(error, 'NO_NODE')) throw error;
      await createFolder(client, parentOf(path), 'persistent', access);
      await client.create(path, data, mode, access);
    }
  }

  #documentIn(
    { data, stat }: NodeData,
    memory: NodeData | undefined,
    kind: string,
    name: string,
  ): VersionedDocument {
    const document = kind === 'latch' ? decodeLatch(data, memory?.data) : decodeDocument(data);
    const subject = subjectOf(kind, name, this.#options.label);
    if (document === undefined)
      throw new ForeignStateError(
        `${subject.resource}: the node of that path holds what another program has written. Use another name.`,
        subject,
      );
    return {
      version: `${stat.czxid}.${stat.version}`,
      state: document.state,
      revision: Number(stat.mzxid),
    };
  }

  /** After 2^32 changes the version is the number that means any: a write would then overwrite what it has not seen (CURATOR-688). */
  #versionIn(expected: string, kind: string, name: string): number {
    const version = Number(expected.slice(expected.indexOf('.') + 1));
    if (version !== ANY_VERSION) return version;
    const subject = subjectOf(kind, name, this.#options.label);
    throw new EngineError(
      `${subject.resource}: its node has been changed 2^32 times and cannot be compared any more. Nothing was changed. Write the node once with ZooKeeper's own tool.`,
      subject,
      { retryable: false },
    );
  }

  /** Where a latch keeps what a SharedCount has no place for. */
  #memoryOf(path: string): string {
    const { root } = this.#options;
    return `${root}${OWN_FOLDER}/latches/${encodeNodeName(path.slice(root.length))}`;
  }

  #nodeOf(clientId: string): string {
    return `${this.#clients}/${encodeNodeName(clientId)}`;
  }

  async #ask<T>(
    kind: string,
    name: string,
    request: (client: ZooKeeperClient, path: string) => Promise<T>,
  ): Promise<T> {
    const { liveness, root, label } = this.#options;
    const subject = subjectOf(kind, name, label);
    try {
      return await request(liveness.client(subject), root + nodePath(kind, name));
    } catch (error) {
      throw explainError(error, subject);
    }
  }
}

/** Both nodes of a latch are written in one transaction, and have its number: a memory with a higher one was read after another write. */
function isOlder(count: NodeData, memory: NodeData | undefined): boolean {
  return memory !== undefined && count.stat.mzxid < memory.stat.mzxid;
}

async function readIfThere(client: ZooKeeperClient, path: string): Promise<NodeData | undefined> {
  try {
    return await client.getData(path);
  } catch (error) {
    if (hasCode(error, 'NO_NODE')) return undefined;
    throw error;
  }
}
