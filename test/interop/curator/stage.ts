import { afterAll, beforeAll } from 'vitest';
import { systemClock, systemRandom } from '../../../src/core/time/clock.ts';
import { ZooKeeperClient } from '../../../src/engines/zookeeper/client/zookeeper-client.ts';
import type { ZooKeeperOptions } from '../../../src/engines/zookeeper/zookeeper-options.ts';
import { isOwnTicketId } from '../../../src/engines/zookeeper/layout/ticket-id.ts';
import { ticketIdOf } from '../../../src/engines/zookeeper/layout/ticket-names.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import {
  startZooKeeper,
  type ZooKeeperServer,
  type ZooKeeperServerOptions,
} from '../../fixtures/zookeeper/zookeeper-server.ts';
import { NodeWaits } from '../node-waits.ts';
import { Curator, type CuratorSettings, type CuratorThread, type CuratorVersion } from './curator.ts';
import { zookeeper, type ZooKeeperSynchronizers } from '../../../src/engines/zookeeper/index.ts';

/** Of those whose session is to be seen to end. */
export const BRIEF_MS = 2000;
/** Longer than any test: what ends sooner was ended by a request. */
const LONG_MS = 40_000;

/** One server, or an ensemble. */
interface StageServers {
  /** As a client is given it. */
  readonly address: string;
  readonly servers: readonly ZooKeeperServer[];
  leader(): Promise<ZooKeeperServer>;
  stop(): Promise<void>;
}

/** Servers, a JVM with Curator and Holdfast in this process, for the tests of one file. */
export class CuratorStage {
  readonly version: CuratorVersion;
  readonly ensemble: StageServers;
  /** To look at nodes with. */
  readonly raw: ZooKeeperClient;
  readonly locks: ZooKeeperSynchronizers;
  /** Their holds watch their own nodes within a test: the first renewal places the watch. */
  readonly watchful: ZooKeeperSynchronizers;
  readonly #observers: readonly ZooKeeperClient[];
  readonly #open: AsyncDisposable[] = [];
  readonly #waits = new NodeWaits();
  #names = 0;
  #java: Curator | undefined;

  private constructor(version: CuratorVersion, ensemble: StageServers) {
    this.version = version;
    this.ensemble = ensemble;
    this.raw = openRaw(ensemble.address);
    this.#observers = ensemble.servers.map(({ address }) => openRaw(address));
    this.locks = this.openLocks();
    this.watchful = this.openLocks({ renewalLeaseMs: BRIEF_MS });
  }

  static async open(version: CuratorVersion, ensemble: StageServers): Promise<CuratorStage> {
    const stage = new CuratorStage(version, ensemble);
    stage.#java = await stage.startJava({ sessionMs: LONG_MS });
    return stage;
  }

  thread(): CuratorThread {
    return this.#java!.thread();
  }

  newPath(): string {
    return `/interop/name-${(this.#names += 1)}`;
  }

  /** Another JVM: to be killed or stopped, or with other settings. */
  async startJava(settings: Partial<CuratorSettings> = {}): Promise<Curator> {
    const java = await Curator.start(this.version, [
      { servers: this.ensemble.address, sessionMs: BRIEF_MS, ...settings },
    ]);
    this.#open.push(java);
    return java;
  }

  openLocks(options: Partial<ZooKeeperOptions> = {}): ZooKeeperSynchronizers {
    const locks = zookeeper({ servers: this.ensemble.address, sessionMs: LONG_MS, ...options });
    this.#waits.listenTo(locks);
    this.#open.push(locks);
    return locks;
  }

  /**
   * Resolves when every server shows all that was done before: Java reads at a server of its own, and that one may be behind the one
   * which has answered Node.
   */
  async catchUp(): Promise<void> {
    await Promise.all(this.#observers.map((observer) => observer.sync('/')));
  }

  /** Begins something that waits in this process, and resolves once it does, to the promise of its outcome. */
  get nodeWaits() {
    return this.#waits.begin;
  }

  /** The same for Java: it has one more node below this path. */
  async javaWaits<T>(path: string, begin: () => Promise<T>): Promise<{ readonly outcome: Promise<T> }> {
    const before = (await this.nodesOf('java', path)).length;
    const outcome = begin();
    outcome.catch(() => undefined);
    await waitFor('Java waits', async () => (await this.nodesOf('java', path)).length > before);
    return { outcome };
  }

  /** The paths of the tickets of one side below a path, in their order. */
  async nodesOf(side: 'java' | 'node', path: string): Promise<readonly string[]> {
    const paths = await this.ticketsBelow(path);
    return paths.filter((one) => {
      const id = ticketIdOf(one.slice(one.lastIndexOf('/') + 1));
      return isOwnTicketId(id) === (side === 'node');
    });
  }

  /** The tickets of both sides below a path, in their order. */
  async ticketsBelow(path: string): Promise<readonly string[]> {
    await this.raw.sync('/');
    const { names } = await this.raw.getChildren(path).catch(() => ({ names: [] as readonly string[] }));
    const below = await Promise.all(
      names.map(async (name) => {
        const child = `${path}/${name}`;
        return name.startsWith('_c_') ? [child] : this.ticketsBelow(child);
      }),
    );
    return below.flat().toSorted((one, other) => (one.slice(-10) < other.slice(-10) ? -1 : 1));
  }

  async close(): Promise<void> {
    for (const each of this.#open) await each[Symbol.asyncDispose]();
    for (const client of [this.raw, ...this.#observers]) await client.close();
    await this.ensemble.stop();
  }
}

/** A stage for the tests of one file. */
export function curatorStage(
  version: CuratorVersion,
  start: () => Promise<StageServers> = startAlone,
): () => CuratorStage {
  let stage: CuratorStage | undefined;
  beforeAll(async () => {
    stage = await CuratorStage.open(version, await start());
  });
  afterAll(() => stage?.close());
  return () => stage!;
}

export async function startAlone(options: ZooKeeperServerOptions = {}): Promise<StageServers> {
  const server = await startZooKeeper(options);
  return {
    address: server.address,
    servers: [server],
    leader: async () => server,
    stop: () => server.stop(),
  };
}

function openRaw(servers: string): ZooKeeperClient {
  return new ZooKeeperClient({ servers, clock: systemClock, random: systemRandom, sessionMs: LONG_MS });
}
