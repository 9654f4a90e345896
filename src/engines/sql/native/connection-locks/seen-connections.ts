import { queryRow } from './advisory-lock-kind.ts';
import type { LockConnection } from './session-lock-kind.ts';

const SEEN_AS = 'select host from information_schema.processlist where id = connection_id()';
/** More than a pool has. At this number all entries are dropped, those of ended connections with them. */
const MOST = 1_024;

/**
 * How a server of MySQL or MariaDB sees the connections of one pool: the address and port of the client, or of the
 * proxy in between. Looked up once for each connection. To ask with each lock is simpler, but the server walks through
 * all of its connections for that: 1 ms of its time with 500 of them, where the other statements of a lock take 0.06 ms
 * each.
 *
 * The key is the number of the connection, which another connection has after a failover or a restart. Then the address
 * is an old one, and a waiter that gives up is not ended in the server before its slice is over. No stranger can be
 * ended: the number and the address must both match.
 */
export class SeenConnections {
  readonly #byNumber = new Map<string, string>();

  /** Notes the server's number and address of this connection. */
  async identify(connection: LockConnection, serverId: string): Promise<void> {
    connection.serverId = serverId;
    connection.seenAs = this.#byNumber.get(serverId) ?? (await this.#lookUp(connection, serverId));
  }

  async #lookUp({ session }: LockConnection, serverId: string): Promise<string> {
    const [host] = await queryRow(session, SEEN_AS, []);
    if (this.#byNumber.size >= MOST) this.#byNumber.clear();
    this.#byNumber.set(serverId, String(host));
    return String(host);
  }
}
