import { subjectOf } from '../../../core/arguments.ts';
import { WaiterCounts } from '../../../kernels/waiter-counts.ts';
import { ForeignStateError, SessionEndedError } from '../../../spi/errors.ts';
import type { Unwatch } from '../../../spi/engine/protocol.ts';
import type { VersionedDocument, VersionedDocuments } from '../../../spi/engine/versioned-documents.ts';
import { compareCompareTarget } from '../client/messages/etcd-messages.generated.ts';
import type { EtcdClient } from '../client/session/etcd-client.ts';
import type { EtcdStore } from '../etcd-store.ts';
import { explainEtcdError, isFull, isLeaseGone } from '../explain-etcd-error.ts';
import { keyOfName, OWN_PREFIX } from '../layout/etcd-keys.ts';
import { watchPrefix } from '../watch-prefix.ts';

const { MOD, CREATE } = compareCompareTarget;
/** A server takes 128 requests in a transaction by default. */
const MOST_IN_A_TRANSACTION = 100;

/**
 * One key for each document, and one under the lease of each client that documents name: a client lives as long as its key
 * stands. The version of a document is its mod revision, which the store never gives twice.
 */
export class EtcdDocuments implements VersionedDocuments {
  readonly #store: EtcdStore;
  readonly #clients: string;
  readonly #watching = new WaiterCounts();

  constructor(store: EtcdStore) {
    this.#store = store;
    this.#clients = `${store.root}${OWN_PREFIX}clients/`;
  }

  read(kind: string, name: string): Promise<VersionedDocument> {
    return this.#ask(kind, name, async (client, key) => {
      const { kvs, header } = await client.range({ key });
      const [kv] = kvs;
      const revision = Number(header!.revision);
      if (kv === undefined) return { version: undefined, state: undefined, revision };
      const state = this.#stateIn(Buffer.from(kv.value).toString('utf8'), kind, name);
      return { version: String(kv.modRevision), state, revision };
    });
  }

  write(
    kind: string,
    name: string,
    expected: string | undefined,
    state: unknown,
  ): Promise<'written' | 'conflict'> {
    return this.#ask(kind, name, async (client, key) => {
      const modRevision = BigInt(expected ?? 0);
      try {
        const { succeeded } = await client.txn({
          compare: [{ target: MOD, key, modRevision }],
          success: [{ requestPut: { key, value: Buffer.from(JSON.stringify(state)) } }],
        });
        return succeeded ? 'written' : 'conflict';
      } catch (error) {
        if (!isFull(error) || (await revisionOf(client, key)) === modRevision) throw error;
        // Carried out all the same, see `settleFullJoin`, or another client was faster. The kernel reads, and finds its own change.
        return 'conflict';
      }
    });
  }

  enter(clientId: string): Promise<void> {
    return this.#ask('client', clientId, async (client) => {
      const key = this.#keyOf(clientId);
      const { liveness, label } = this.#store;
      const lease = liveness.leaseFor(subjectOf('client', clientId, label));
      // One that is there was made by an earlier copy of this request: no other client has this id.
      await client.txn({
        compare: [{ target: CREATE, key, createRevision: 0n }],
        success: [{ requestPut: { key, lease } }],
      });
    });
  }

  living(clients: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#ask('client', clients.join(' '), async (client) => {
      const living = new Set<string>();
      for (let at = 0; at < clients.length; at += MOST_IN_A_TRANSACTION) {
        const some = clients.slice(at, at + MOST_IN_A_TRANSACTION);
        const looks = some.map((one) => ({ requestRange: { key: this.#keyOf(one), countOnly: true } }));
        const { responses } = await client.txn({ success: looks });
        for (const [index, one] of some.entries())
          if (responses[index]!.responseRange!.count > 0n) living.add(one);
      }
      return living;
    });
  }

  watch(kind: string, name: string, heard: () => void): Promise<Unwatch> {
    return this.#ask(kind, name, async (client, key) => {
      const watch = client.watch({ key, onEvents: heard, onGap: heard });
      let unwatchClients: Unwatch;
      try {
        [unwatchClients] = await Promise.all([
          watchPrefix(client, this.#clients, heard, 'deleted'),
          watch.ready,
        ]);
      } catch (error) {
        // No caller gets what would end the first watch: it would call for as long as the session lasts.
        watch.end();
        throw error;
      }
      const uncount = this.#watching.watch(key.toString());
      return () => {
        uncount();
        watch.end();
        unwatchClients();
      };
    });
  }

  /** How many watchers of this client a document has. */
  watching(kind: string, name: string): number {
    return this.#watching.count(this.#store.root + keyOfName(kind, name));
  }

  #stateIn(text: string, kind: string, name: string): unknown {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      const subject = subjectOf(kind, name, this.#store.label);
      throw new ForeignStateError(
        `${subject.resource}: the key of that name holds what another program has written. Use another name.`,
        subject,
      );
    }
  }

  #keyOf(clientId: string): Buffer {
    return Buffer.from(this.#clients + clientId);
  }

  async #ask<T>(
    kind: string,
    name: string,
    request: (client: EtcdClient, key: Buffer) => Promise<T>,
  ): Promise<T> {
    const { liveness, root, label } = this.#store;
    const subject = subjectOf(kind, name, label);
    const client = liveness.client(subject);
    try {
      return await request(client, Buffer.from(root + keyOfName(kind, name)));
    } catch (error) {
      if (!isLeaseGone(error)) throw explainEtcdError(error, subject);
      liveness.lose(client);
      throw new SessionEndedError(subject);
    }
  }
}

/** 0 where there is no such key. */
async function revisionOf(client: EtcdClient, key: Buffer): Promise<bigint> {
  const { kvs } = await client.range({ key, keysOnly: true });
  return kvs[0]?.modRevision ?? 0n;
}
