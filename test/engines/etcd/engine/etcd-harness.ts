import { systemRandom } from '../../../../src/core/time/clock.ts';
import type { EtcdUser } from '../../../../src/engines/etcd/index.ts';
import { assembleEtcd } from '../../../../src/engines/etcd/open-etcd.ts';
import type { Factories, Synchronizers } from '../../../../src/index.ts';
import type { Harness, HarnessClientOptions, HarnessTime } from '../../../../src/testing/index.ts';
import { GrpcProxy } from '../../../fixtures/etcd/grpc-proxy.ts';
import { MortalClock } from '../../mortal-clock.ts';
import { realSurroundings } from '../../real-surroundings.ts';
import { slowness } from '../../slowness.ts';

export const ETCD_KINDS = [
  'lock',
  'fairLock',
  'readWriteLock',
  'semaphore',
  'permitSemaphore',
  'latch',
  'barrier',
  'election',
  'monitor',
] as const;
export type EtcdKind = (typeof ETCD_KINDS)[number];

const UNIT_MS = 400;
const SESSION_UNITS = 30;
const LONGEST_SESSION_MS = 60_000;

interface MemberPort {
  readonly port: number;
  /** Ends a lease, as an administrator can. */
  ask(path: string, body?: object): Promise<Record<string, unknown>>;
}

interface EtcdLife {
  readonly clock: MortalClock;
  readonly proxy: GrpcProxy;
  readonly member: MemberPort;
  readonly lease: () => bigint | undefined;
}

/** Clients of the engine, each behind a proxy of its own, each of which can be killed, cut off, or lose an answer. */
export class EtcdHarness implements Harness {
  readonly engine = 'etcd';
  readonly factories: readonly (keyof Factories)[] = ETCD_KINDS;
  readonly extras = ['inspector', 'check', 'txn'];
  readonly announces = true;
  readonly withoutMinHold = 'a hold on etcd ends with its lease, and with nothing else';
  readonly time: HarnessTime;
  readonly #auth: EtcdUser | undefined;
  readonly #members: () => readonly MemberPort[];
  readonly #lives = new Map<Synchronizers, EtcdLife>();
  readonly #dead: EtcdLife[] = [];

  #opened = 0;

  /** `auth`: the user of every client. */
  constructor(members: () => readonly MemberPort[], auth?: EtcdUser) {
    this.#auth = auth;
    this.time = { ...realSurroundings.time, unitMs: UNIT_MS * slowness };
    this.#members = members;
  }

  run(body: () => Promise<void>): Promise<void> {
    return body();
  }

  async open(options: HarnessClientOptions = {}): Promise<Synchronizers> {
    const members = this.#members();
    const member = members[this.#opened++ % members.length]!;
    const proxy = await GrpcProxy.start(member);
    const clock = new MortalClock(realSurroundings.clock);
    const sessionMs = Math.min(SESSION_UNITS * this.time.unitMs, LONGEST_SESSION_MS);
    const auth = this.#auth;
    const settings = { ...options, endpoints: proxy.address, sessionMs, ...(auth && { auth }) };
    const { locks, ready, lease } = assembleEtcd(settings, { clock, random: systemRandom });
    // Connected, as the clients of the other harnesses are: the engine opens its session at first use, and a case times its calls.
    await ready();
    // A call behind the beginning of the streams: the answer that a case loses is not that of a stream.
    await locks.lock('first use').waiters();
    const close = async (): Promise<void> => {
      await locks.close();
      proxy.stop();
    };
    const client = { ...locks, close, [Symbol.asyncDispose]: close } as unknown as Synchronizers;
    this.#lives.set(client, { clock, proxy, member, lease });
    return client;
  }

  /** The server gets the order to end the lease of the client: to wait for its time would take a case long. */
  async crash(client: Synchronizers): Promise<void> {
    const life = this.#lifeOf(client);
    const lease = life.lease();
    life.clock.stop();
    life.proxy.die();
    this.#dead.push(life);
    if (lease !== undefined) await life.member.ask('kv/lease/revoke', { ID: String(lease) });
  }

  loseNextReply(client: Synchronizers): void {
    this.#lifeOf(client).proxy.loseNextReply();
  }

  silence(client: Synchronizers): () => void {
    return this.#lifeOf(client).proxy.silence();
  }

  /** Cases run side by side here: what is left in the store is looked at when all are over. */
  async leftovers(): Promise<readonly string[]> {
    return [];
  }

  bury(): void {
    for (const { proxy } of this.#dead.splice(0)) proxy.stop();
  }

  #lifeOf(client: Synchronizers): EtcdLife {
    const life = this.#lives.get(client);
    if (life === undefined) throw new Error('This client was not opened here.');
    return life;
  }
}
