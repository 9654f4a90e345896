import type { EtcdClient } from '../client/session/etcd-client.ts';
import { type Compare, compareCompareTarget } from '../client/messages/etcd-messages.generated.ts';
import { EtcdError } from '../client/transport/etcd-error.ts';
import type { Draft } from '../client/transport/message-type.ts';
import { isFull } from '../explain-etcd-error.ts';

/**
 * Keeps calls from being carried out that no caller waits for any more.
 *
 * The race: a member that stands still has a join in its socket. The client has no answer, goes on to another member, finds no
 * ticket, and gives up. The first member goes on, carries the join out, and the ticket stands in front of the line for as long as
 * the client lives. So every join compares a key of its session, and a client that has lost the answer to a join writes that key
 * before it looks for the ticket: no join that was sent before can succeed then. Without a lost answer the key is never written,
 * and the comparison costs no round trip.
 */
export class SessionEpoch {
  readonly #key: Buffer;
  readonly #lease: bigint;
  #revision = 0n;

  constructor(key: string, lease: bigint) {
    this.#key = Buffer.from(key);
    this.#lease = lease;
  }

  get key(): Buffer {
    return this.#key;
  }

  /** When it began; 0 of the first one. */
  get revision(): bigint {
    return this.#revision;
  }

  /** True of a join that was sent since the epoch began. */
  get comparison(): Draft<Compare> {
    return { target: compareCompareTarget.MOD, key: this.#key, modRevision: this.#revision };
  }

  /** Begins the next one: no join that was sent before is carried out any more. */
  async advance(client: EtcdClient): Promise<void> {
    const success = [{ requestPut: { key: this.#key, lease: this.#lease } }];
    try {
      const { header } = await client.txn({ success });
      this.adopt(header!.revision);
    } catch (error) {
      if (!isFull(error)) throw error;
      // The ticket of a join whose answer was lost may stand, and nothing but this takes it away: it is asked for again, as in an outage.
      throw new EtcdError('UNAVAILABLE', error.message, { cause: error });
    }
  }

  /** What a join has found that was refused. Only forwards: answers may come in any order. */
  adopt(revision: bigint): void {
    if (revision > this.#revision) this.#revision = revision;
  }
}
