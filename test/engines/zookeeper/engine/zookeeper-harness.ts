import { systemRandom } from '../../../../src/core/time/clock.ts';
import { openZooKeeper } from '../../../../src/engines/zookeeper/open-zookeeper.ts';
import type { Factories, Synchronizers } from '../../../../src/index.ts';
import type { Harness, HarnessClientOptions, HarnessTime } from '../../../../src/testing/index.ts';
import { FrameProxy } from '../../../fixtures/zookeeper/frame-proxy.ts';
import { MortalClock } from '../../mortal-clock.ts';
import { realSurroundings } from '../../real-surroundings.ts';
import { slowness } from '../../slowness.ts';

export const ZOOKEEPER_KINDS = [
  'lock',
  'fairLock',
  'readWriteLock',
  'semaphore',
  'latch',
  'barrier',
  'election',
  'monitor',
] as const;
export type ZooKeeperKind = (typeof ZOOKEEPER_KINDS)[number];

const UNIT_MS = 400;
const SESSION_UNITS = 30;
/** What the servers of the tests grant at most. */
const LONGEST_SESSION_MS = 60_000;

interface ServerPort {
  readonly port: number;
}

export interface ZooKeeperHarnessOptions {
  readonly unitMs?: number;
  /** Which of the servers a client uses, by its label and by how many were opened before. Each the next one without it. */
  readonly place?: (label: string | undefined, opened: number) => number;
}

interface ZooKeeperLife {
  readonly clock: MortalClock;
  readonly proxy: FrameProxy;
}

/** Clients of the engine, each behind a proxy of its own, each of which can be killed, cut off, or lose a reply. */
export class ZooKeeperHarness implements Harness<ZooKeeperKind> {
  readonly engine = 'zookeeper';
  readonly factories: readonly (keyof Factories)[] = ZOOKEEPER_KINDS;
  readonly extras = ['inspector', 'check', 'multi'];
  readonly announces = true;
  readonly withoutMinHold = 'a hold on ZooKeeper ends with its session, and with nothing else';
  readonly time: HarnessTime;
  readonly #servers: () => readonly ServerPort[];
  readonly #place: (label: string | undefined, opened: number) => number;
  readonly #lives = new Map<Synchronizers<ZooKeeperKind>, ZooKeeperLife>();
  readonly #dead: ZooKeeperLife[] = [];

  #opened = 0;

  constructor(
    servers: () => readonly ServerPort[],
    { unitMs = UNIT_MS, place = (_, opened) => opened }: ZooKeeperHarnessOptions = {},
  ) {
    this.time = { ...realSurroundings.time, unitMs: unitMs * slowness };
    this.#servers = servers;
    this.#place = place;
  }

  run(body: () => Promise<void>): Promise<void> {
    return body();
  }

  async open(options: HarnessClientOptions = {}): Promise<Synchronizers<ZooKeeperKind>> {
    const servers = this.#servers();
    const at = this.#place(options.label, this.#opened++);
    const proxy = await FrameProxy.start(servers[at % servers.length]!);
    const clock = new MortalClock(realSurroundings.clock);
    const sessionMs = Math.min(SESSION_UNITS * this.time.unitMs, LONGEST_SESSION_MS);
    const settings = { ...options, servers: proxy.address, sessionMs };
    const engine = openZooKeeper(settings, { clock, random: systemRandom });
    // Connected, as the clients of the other harnesses are: the engine opens its session at first use, and a case times its calls.
    await engine.lock('first use').waiters();
    const close = async (): Promise<void> => {
      await engine.close();
      proxy.stop();
    };
    const client = {
      ...engine,
      close,
      [Symbol.asyncDispose]: close,
    } as unknown as Synchronizers<ZooKeeperKind>;
    this.#lives.set(client, { clock, proxy });
    return client;
  }

  async crash(client: Synchronizers<ZooKeeperKind>): Promise<void> {
    const life = this.#lifeOf(client);
    life.clock.stop();
    life.proxy.die();
    this.#dead.push(life);
  }

  loseNextReply(client: Synchronizers<ZooKeeperKind>): void {
    this.#lifeOf(client).proxy.loseNextReply();
  }

  silence(client: Synchronizers<ZooKeeperKind>): () => void {
    return this.#lifeOf(client).proxy.silence();
  }

  /** Cases run side by side here: what is left in the store is looked at when all are over. */
  async leftovers(): Promise<readonly string[]> {
    return [];
  }

  bury(): void {
    for (const { proxy } of this.#dead.splice(0)) proxy.stop();
  }

  #lifeOf(client: Synchronizers<ZooKeeperKind>): ZooKeeperLife {
    const life = this.#lives.get(client);
    if (life === undefined) throw new Error('This client was not opened here.');
    return life;
  }
}
