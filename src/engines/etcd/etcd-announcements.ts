import type { Program } from '../../spi/api/client-card.ts';
import type { Announcements, FoundClients } from '../../spi/engine/announcements.ts';
import type { ErrorSubject } from '../../spi/errors.ts';
import type { EtcdStore } from './etcd-store.ts';
import { endOfPrefix, OWN_PREFIX } from './layout/etcd-keys.ts';
import { leaseName } from './layout/ticket-keys.ts';

/** What announcements are made of. */
export interface EtcdAnnouncementsOptions extends EtcdStore {
  readonly subject: ErrorSubject;
}

/** The owner of this library: the client, and a number. */
const OWN_OWNER = /^[0-9a-f]{32}:/;

/**
 * One key for each client, bound to its lease: it ends with the session, so nothing is repeated and nothing taken back. Its name is
 * `«lease»-«client»`: a ticket tells the lease of its holder, a document tells the client.
 */
export class EtcdAnnouncements implements Announcements {
  readonly lastMs = Infinity;
  /** A fence is a number of the history of the store. */
  readonly fencesAreTimes = false;
  readonly #options: EtcdAnnouncementsOptions;
  readonly #prefix: string;

  constructor(options: EtcdAnnouncementsOptions) {
    this.#options = options;
    this.#prefix = `${options.root}${OWN_PREFIX}announced/`;
  }

  async announce(client: string, said: string): Promise<void> {
    const { liveness, subject } = this.#options;
    const connected = liveness.client(subject);
    const lease = liveness.leaseFor(subject);
    const key = Buffer.from(`${this.#prefix}${leaseName(lease)}-${client}`);
    await connected.txn({ success: [{ requestPut: { key, value: Buffer.from(said), lease } }] });
  }

  retract(): void {
    // The session ends next, and the key with it.
  }

  /** The time is this machine's: etcd keeps none. */
  async find(clients: readonly string[]): Promise<FoundClients> {
    const { liveness, clock, subject } = this.#options;
    const said = new Map<string, string>();
    if (clients.length > 0) {
      const key = Buffer.from(this.#prefix);
      const { kvs } = await liveness.client(subject).range({ key, rangeEnd: endOfPrefix(key) });
      const wanted = new Set(clients);
      for (const kv of kvs) {
        const [lease = '', client = ''] = Buffer.from(kv.key).subarray(key.length).toString().split('-');
        const text = Buffer.from(kv.value).toString('utf8');
        for (const id of [lease, client]) if (wanted.has(id)) said.set(id, text);
      }
    }
    return { now: clock.epochNow(), said };
  }

  programOf(owner: string): Program {
    return programOfOwner(owner);
  }
}

/** Which program an owner is of. */
export function programOfOwner(owner: string): Program {
  return OWN_OWNER.test(owner) ? 'holdfast' : 'other';
}
