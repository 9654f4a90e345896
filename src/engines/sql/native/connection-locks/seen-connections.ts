import { rowOf } from './advisory-lock-kind.ts';
import type { LockConnection } from './session-lock-kind.ts';

const SEEN_AS = 'select host from information_schema.processlist where id = connection_id()';
/** More than a pool has. Those of connections that have ended are forgotten with all others. */
const MOST = 1_024;

/**
 * How a server of MySQL or MariaDB sees the connections of one pool: the address and port of the client, or of the proxy in
 * between. Looked up once for each connection. To ask with each lock is simpler, but the server walks through all of its
 * connections for that: 1 ms of its time with 500 of them, where the other statements of a lock take 0.06 ms each.
 *
 * By the number of the connection, which another one has after a failover or a restart. Then the address is an old one, and
 * its waiter, which gives up, is not ended in the server before its slice is over. It cannot end a stranger: the number and the
 * address must both fit.
 */
export class SeenConnections {
  readonly #byNumber = new Map<string, string>();

  /** Writes down how the server calls and sees this connection. */
  async identify(bearer: LockConnection, serverId: string): Promise<void> {
    bearer.serverId = serverId;
    bearer.seenAs = this.#byNumber.get(serverId) ?? (await this.#lookUp(bearer, serverId));
  }

  async #lookUp({ session }: LockConnection, serverId: string): Promise<string> {
    const [host] = await rowOf(session, SEEN_AS, []);
    if (this.#byNumber.size >= MOST) this.#byNumber.clear();
    this.#byNumber.set(serverId, String(host));
    return String(host);
  }
}
