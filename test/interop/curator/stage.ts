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
import { type NodeLocks, openLocks } from './open-locks.ts';

/** Of those whose session is to be seen to end. */
export const BRIEF_MS = 2000;
/** Longer than any test: what ends sooner was ended by a request. */
const LONG_MS = 40_000;

/** A server, a JVM with Curator and Holdfast in this process, for the tests of one file. */
export class CuratorStage {
  readonly version: CuratorVersion;
  readonly server: ZooKeeperServer;
  /** To look at nodes with. */
  readonly raw: ZooKeeperClient;
  readonly locks: NodeLocks;
  /** Their holds watch their own nodes within a test: the first renewal places the watch. */
  readonly watchful: NodeLocks;
  readonly #open: AsyncDisposable[] = [];
  readonly #waits = new NodeWaits();
  #names = 0;
  #java: Curator | undefined;

  private constructor(version: CuratorVersion, server: ZooKeeperServer) {
    this.version = version;
    this.server = server;
    this.raw = new ZooKeeperClient({
      servers: server.address,
      clock: systemClock,
      random: systemRandom,
      sessionMs: LONG_MS,
    });
    this.locks = this.openLocks();
    this.watchful = this.openLocks({ renewalLeaseMs: BRIEF_MS });
  }

  static async open(version: CuratorVersion, options: ZooKeeperServerOptions = {}): Promise<CuratorStage> {
    const stage = new CuratorStage(version, await startZooKeeper(options));
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
      { servers: this.server.address, sessionMs: BRIEF_MS, ...settings },
    ]);
    this.#open.push(java);
    return java;
  }

  openLocks(options: Partial<ZooKeeperOptions> = {}): NodeLocks {
    const locks = openLocks({ servers: this.server.address, sessionMs: LONG_MS, ...options });
    this.#waits.listenTo(locks);
    this.#open.push(locks);
    return locks;
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
    await this.raw.close();
    await this.server.stop();
  }
}

/** A stage for the tests of one file. */
export function curatorStage(version: CuratorVersion): () => CuratorStage {
  let stage: CuratorStage | undefined;
  beforeAll(async () => {
    stage = await CuratorStage.open(version);
  });
  afterAll(() => stage?.close());
  return () => stage!;
}
