import type { Hold } from '../../../src/index.ts';
import { systemClock, systemRandom } from '../../../src/core/time/clock.ts';
import { openZooKeeper } from '../../../src/engines/zookeeper/open-zookeeper.ts';
import { FrameProxy } from '../../fixtures/zookeeper/frame-proxy.ts';

/** Tries the servers in the order in which they are given. */
const firstFirst = { id: () => systemRandom.id(), fraction: () => 0.999_999 };

export interface ProxiedLocksOptions {
  readonly sessionMs?: number;
  readonly connectMs?: number;
  readonly renewalLeaseMs?: number;
}

/** The engine, with a proxy of its own in front of each server. */
export async function openProxied(
  servers: readonly { readonly port: number }[],
  { sessionMs = 6000, ...options }: ProxiedLocksOptions = {},
): Promise<ProxiedLocks> {
  const proxies: FrameProxy[] = [];
  const sessions = new Set<bigint>();
  for (const server of servers)
    proxies.push(
      await FrameProxy.start(
        server,
        () => undefined,
        (session) => sessions.add(session),
      ),
    );
  const addresses = proxies.map(({ address }) => address).join(',');
  const locks = openZooKeeper(
    // Tests count the frames of what they do: who a client is is announced 100 ms after its first grant, among them or not.
    { servers: addresses, sessionMs, announce: false, ...options },
    { clock: systemClock, random: firstFirst },
  );
  return new ProxiedLocks(locks, proxies, sessions);
}

/** The synchronizers of one client, and its network. */
export class ProxiedLocks {
  readonly locks: ReturnType<typeof openZooKeeper>;
  readonly proxies: readonly FrameProxy[];
  /** All that servers have granted so far, in that order. */
  readonly #sessions: ReadonlySet<bigint>;

  constructor(
    locks: ReturnType<typeof openZooKeeper>,
    proxies: readonly FrameProxy[],
    sessions: ReadonlySet<bigint>,
  ) {
    this.locks = locks;
    this.proxies = proxies;
    this.#sessions = sessions;
  }

  /** The session of a hold that is not lost: the client opens the next one when it has lost the holds of the last. */
  get session(): bigint | undefined {
    return [...this.#sessions].at(-1);
  }

  ticketOf(hold: Hold): string {
    return this.locks.check(hold).path;
  }

  /** The proxy of the first server. */
  get proxy(): FrameProxy {
    return this.proxies[0]!;
  }

  /** Cuts the client off from all servers, until what this returns is called. */
  silence(): () => void {
    const ends = this.proxies.map((proxy) => proxy.silence());
    return () => {
      for (const end of ends) end();
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.locks.close();
    for (const proxy of this.proxies) proxy.stop();
  }
}
