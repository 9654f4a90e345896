import { subjectOf } from '../../../core/arguments.ts';
import type { TicketLeases } from '../../../kernels/lines/permit-line.ts';
import type { LineName } from '../../../spi/engine/ticket-line.ts';
import type { OwnerId } from '../../../spi/rule.ts';
import {
  compareCompareTarget,
  etcdCalls,
  type KeyValue,
} from '../client/messages/etcd-messages.generated.ts';
import type { EtcdClient } from '../client/session/etcd-client.ts';
import type { EtcdStore } from '../etcd-store.ts';
import { explainEtcdError, isLeaseGone } from '../explain-etcd-error.ts';
import { leaseName, ticketInKey } from '../layout/ticket-keys.ts';
import { decodeTicketValue, encodeTicketValue } from '../layout/ticket-value.ts';
import { listOf, rangeOfLine, suffixOf } from './line-range.ts';

const MS = 1000;

/**
 * Leases of single tickets: a lease of etcd for each, in whole seconds. A lease is never longer than it was granted, so a longer time is
 * another lease, to which the key goes over; its create revision, and so its position, stays.
 */
export class PermitLeases implements TicketLeases {
  readonly #store: EtcdStore;

  constructor(store: EtcdStore) {
    this.#store = store;
  }

  async bind(line: LineName, id: OwnerId, leaseMs: number): Promise<'bound' | 'absent'> {
    const { liveness, label } = this.#store;
    const subject = subjectOf(line.kind, line.name, label);
    const client = liveness.client(subject);
    try {
      for (;;) {
        const kv = await this.#find(client, line, id);
        if (kv === undefined) return 'absent';
        if (await this.#prolong(client, line.kind, kv, leaseMs)) return 'bound';
        if (await this.#move(client, line.kind, kv, leaseMs)) return 'bound';
      }
    } catch (error) {
      throw explainEtcdError(error, subject);
    }
  }

  async #find(client: EtcdClient, line: LineName, id: OwnerId): Promise<KeyValue | undefined> {
    const range = rangeOfLine(this.#store.root, line);
    const { kvs } = await client.range({ ...listOf(range), keysOnly: false });
    return kvs.find((kv) => {
      const ticket = ticketInKey(line.kind, suffixOf(range, kv), kv.createRevision);
      // A key that another program made may be bound to its session, which would end with the lease that it is taken from.
      return ticket.isOurs && ticket.id === id;
    });
  }

  /**
   * A time that is not longer than the last one is a keep-alive of the same lease, and writes nothing.
   *
   * The race: another client moves the ticket to another lease, or a leader answers that was replaced (see `LeaseHeartbeat`). So the ticket
   * is read behind it, and both answers compared; {@link PermitLeases.#move} is right in any case.
   */
  async #prolong(
    client: EtcdClient,
    kind: string,
    { key, value, lease, modRevision }: KeyValue,
    leaseMs: number,
  ): Promise<boolean> {
    const lastMs = decodeTicketValue(kind, value).leaseMs;
    if (lastMs === undefined || leaseMs > lastMs) return false;
    const renewed = await client.call(etcdCalls.leaseKeepAlive, { ID: lease });
    const { kvs, header } = await client.range({ key, keysOnly: true });
    const isOfLeader = (renewed.header?.raftTerm ?? 0n) >= (header?.raftTerm ?? 0n);
    return renewed.TTL > 0n && isOfLeader && kvs[0]?.modRevision === modRevision;
  }

  /** False if another client has changed the ticket since it was read, or the new lease was over at once. */
  async #move(
    client: EtcdClient,
    kind: string,
    { key, value, lease, modRevision }: KeyValue,
    leaseMs: number,
  ): Promise<boolean> {
    const said = decodeTicketValue(kind, value);
    // Never shorter than the last lease (soundness 4). What is left of that one only the store knows; it is not more than all of it.
    const longerMs = Math.max(leaseMs, said.leaseMs ?? 0);
    const { ID } = await client.call(etcdCalls.leaseGrant, { TTL: BigInt(Math.ceil(longerMs / MS)) });
    const requestPut = { key, value: encodeTicketValue(kind, { ...said, leaseMs: longerMs }), lease: ID };
    const compare = [{ target: compareCompareTarget.MOD, key, modRevision }];
    const { succeeded } = await client.txn({ compare, success: [{ requestPut }] }).catch((error: unknown) => {
      if (isLeaseGone(error)) return { succeeded: false };
      throw error;
    });
    const isOfSession = Buffer.from(key).includes(`/${leaseName(lease)}-`);
    const unused = succeeded ? lease : ID;
    if (!succeeded || !isOfSession)
      void client.call(etcdCalls.leaseRevoke, { ID: unused }).catch(() => undefined);
    return succeeded;
  }
}
