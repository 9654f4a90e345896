import type { Hold } from '../../../src/index.ts';
import { systemClock, systemRandom } from '../../../src/core/time/clock.ts';
import { assembleEtcd } from '../../../src/engines/etcd/open-etcd.ts';
import { GrpcProxy } from '../../fixtures/etcd/grpc-proxy.ts';
import type { LineClient } from '../zookeeper/overlaps.ts';

/** Tries the members in the order in which they are given. */
const firstFirst = { id: () => systemRandom.id(), fraction: () => 0 };

/** The engine, with a proxy of its own in front of each member. */
export async function openProxiedEtcd(
  servers: readonly { readonly port: number }[],
  { sessionMs = 3000 }: { readonly sessionMs?: number } = {},
): Promise<ProxiedEtcd> {
  const proxies = await Promise.all(servers.map((server) => GrpcProxy.start(server)));
  const endpoints = proxies.map(({ address }) => address).join(',');
  return new ProxiedEtcd(
    assembleEtcd({ endpoints, sessionMs, announce: false }, { clock: systemClock, random: firstFirst }),
    proxies,
  );
}

/** The synchronizers of one client, and its network. */
export class ProxiedEtcd implements LineClient {
  readonly locks: ReturnType<typeof assembleEtcd>['locks'];
  readonly proxies: readonly GrpcProxy[];
  readonly #lease: () => bigint | undefined;

  constructor({ locks, lease }: ReturnType<typeof assembleEtcd>, proxies: readonly GrpcProxy[]) {
    this.locks = locks;
    this.proxies = proxies;
    this.#lease = lease;
  }

  get session(): bigint | undefined {
    return this.#lease();
  }

  ticketOf(hold: Hold): string {
    return this.locks.check(hold).key;
  }

  /** Cuts the client off from all members, until what this returns is called. */
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
