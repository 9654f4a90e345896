import {
  compareCompareTarget,
  type KeyValue,
  type TxnResponse,
} from '../client/messages/etcd-messages.generated.ts';
import type { EtcdClient } from '../client/session/etcd-client.ts';
import { isFull } from '../explain-etcd-error.ts';
import type { TicketSight } from './line-sights.ts';

const { CREATE, MOD } = compareCompareTarget;

interface TicketWrite {
  readonly value: Buffer;
  readonly lease: bigint;
}

/**
 * What this client writes into its tickets after it has joined: one write of a ticket after the other, each in place of the one before.
 *
 * The race: a leader proclaims one value, has no answer, and proclaims the next one over another member. The first member, which stood
 * still, carries its write out afterwards, and observers hear the value that was taken back. So each write compares the
 * revision of the write before.
 *
 * The tempting alternative leaves out the turns, and writes again whatever is refused. A server carries the calls of one connection out
 * side by side: of three proclamations in one turn of the event loop another one than the last stood in the end, 96 times of 100.
 */
export class TicketWrites {
  /** The write that is the last one in the queue of a key. */
  readonly #queues = new Map<string, Promise<unknown>>();
  /** The revision of the last write to a key. */
  readonly #revisions = new Map<string, bigint>();

  async write(
    client: EtcdClient,
    ticket: Pick<TicketSight, 'key' | 'createRevision'>,
    saying: TicketWrite,
  ): Promise<'written' | 'absent'> {
    const before = this.#queues.get(ticket.key);
    const turn =
      before === undefined
        ? this.#write(client, ticket, saying)
        : this.#after(before, client, ticket, saying);
    this.#queues.set(ticket.key, turn);
    try {
      return await turn;
    } finally {
      if (this.#queues.get(ticket.key) === turn) this.#queues.delete(ticket.key);
    }
  }

  /** The ticket is given back. */
  forget(key: string): void {
    this.#revisions.delete(key);
  }

  /** The session has ended. */
  clear(): void {
    this.#revisions.clear();
  }

  /** Behind one without an answer too: side by side they would lose their order. */
  async #after(
    before: Promise<unknown>,
    ...write: Parameters<TicketWrites['write']>
  ): Promise<'written' | 'absent'> {
    await before.catch(() => undefined);
    return this.#write(...write);
  }

  async #write(
    client: EtcdClient,
    { key: name, createRevision }: Pick<TicketSight, 'key' | 'createRevision'>,
    saying: TicketWrite,
  ): Promise<'written' | 'absent'> {
    const key = Buffer.from(name);
    for (let modRevision = this.#revisions.get(name) ?? createRevision; ;) {
      const request = {
        compare: [
          { target: CREATE, key, createRevision },
          { target: MOD, key, modRevision },
        ],
        success: [{ requestPut: { key, ...saying } }],
        failure: [{ requestRange: { key, keysOnly: true } }],
      };
      const { isWritten, revision, found } = await client
        .txn(request)
        .then(readAnswer, (error: unknown) => lookWhereFull(client, key, modRevision, saying, error));
      if (isWritten) {
        this.#revisions.set(name, revision);
        return 'written';
      }
      // An earlier write was carried out whose answer was lost, or an operator has written.
      if (found?.createRevision !== createRevision) return 'absent';
      modRevision = found.modRevision;
    }
  }
}

interface WriteOutcome {
  readonly isWritten: boolean;
  readonly revision: bigint;
  /** The ticket that is there instead. */
  readonly found: KeyValue | undefined;
}

function readAnswer({ succeeded, responses, header }: TxnResponse): WriteOutcome {
  return { isWritten: succeeded, revision: header!.revision, found: responses[0]!.responseRange?.kvs[0] };
}

/** A member whose database is full may have carried the write out all the same, see `settleFullJoin`. */
async function lookWhereFull(
  client: EtcdClient,
  key: Buffer,
  modRevision: bigint,
  { value }: TicketWrite,
  error: unknown,
): Promise<WriteOutcome> {
  if (!isFull(error)) throw error;
  const [found] = (await client.range({ key })).kvs;
  if (found?.modRevision === modRevision) throw error;
  const isWritten = found !== undefined && value.equals(found.value);
  return { isWritten, revision: found?.modRevision ?? 0n, found };
}
