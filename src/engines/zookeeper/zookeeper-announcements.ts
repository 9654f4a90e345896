import type { Program } from '../../spi/api/client-card.ts';
import type { Clock } from '../../spi/clock.ts';
import type { Announcements, FoundClients } from '../../spi/engine/announcements.ts';
import type { ErrorSubject } from '../../spi/errors.ts';
import type { AccessRule } from './client/protocol/access-rule.ts';
import type { ZooKeeperClient } from './client/zookeeper-client.ts';
import { createFolder } from './nodes/create-folder.ts';
import { hasCode } from './explain-error.ts';
import { childrenOf } from './nodes/folder-requests.ts';
import { OWN_FOLDER } from './layout/node-path.ts';
import { programOfOwner } from './layout/ticket-id.ts';
import type { ZooKeeperLiveness } from './zookeeper-liveness.ts';

export interface ZooKeeperAnnouncementsOptions {
  readonly liveness: ZooKeeperLiveness;
  readonly access: readonly AccessRule[];
  readonly root: string;
  readonly clock: Clock;
  readonly subject: ErrorSubject;
}

/**
 * One ephemeral node for each client, below `/holdfast/announced`: it ends with the session, so nothing is repeated and nothing
 * taken back. Its name is `«session»-«client»`: a ticket tells the session of its holder, a document tells the client.
 *
 * The tempting alternative is the data of the ticket, which is written anyway. Each acquisition would then carry the text, and the
 * data of a LeaderLatch is what Java shows to its users.
 */
export class ZooKeeperAnnouncements implements Announcements {
  readonly lastMs = Infinity;
  /** A fence is a number of the history of the servers. */
  readonly fencesAreTimes = false;
  readonly #options: ZooKeeperAnnouncementsOptions;
  readonly #folder: string;

  constructor(options: ZooKeeperAnnouncementsOptions) {
    this.#options = options;
    this.#folder = `${options.root}${OWN_FOLDER}/announced`;
  }

  async announce(client: string, said: string): Promise<void> {
    const { liveness, access, subject } = this.#options;
    const connected = liveness.client(subject);
    const path = `${this.#folder}/${liveness.session ?? ''}-${client}`;
    const data = Buffer.from(said);
    for (;;) {
      try {
        await connected.create(path, data, 'ephemeral', access);
        return;
      } catch (error) {
        if (hasCode(error, 'NODE_EXISTS')) return void (await connected.setData(path, data));
        // A container goes when its last child has gone, also between its creation and that of the node.
        if (!hasCode(error, 'NO_NODE')) throw error;
        await createFolder(connected, this.#folder, 'container', access);
      }
    }
  }

  retract(): void {
    // The session ends next, and the node with it.
  }

  /** The time is this machine's: a read brings none of the servers', whose clocks also date the tickets. */
  async find(clients: readonly string[]): Promise<FoundClients> {
    const { liveness, clock, subject } = this.#options;
    const connected = liveness.client(subject);
    const nodes = clients.length === 0 ? [] : await childrenOf(connected, this.#folder);
    const found = await Promise.all(
      clients.map(async (id) => {
        const node = nodes.find((name) => name.startsWith(`${id}-`) || name.endsWith(`-${id}`));
        const said = node && (await readIfThere(connected, `${this.#folder}/${node}`));
        return said === undefined ? [] : [[id, said] as const];
      }),
    );
    return { now: clock.epochNow(), said: new Map(found.flat()) };
  }

  programOf(owner: string): Program {
    return programOfOwner(owner);
  }
}

async function readIfThere(client: ZooKeeperClient, path: string): Promise<string | undefined> {
  try {
    return (await client.getData(path)).data.toString('utf8');
  } catch (error) {
    if (hasCode(error, 'NO_NODE')) return undefined;
    throw error;
  }
}
