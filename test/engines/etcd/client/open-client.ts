import { systemClock, systemRandom } from '../../../../src/core/time/clock.ts';
import { EtcdClient, type EtcdClientPlan } from '../../../../src/engines/etcd/client/session/etcd-client.ts';
import type { LeaseStatus } from '../../../../src/engines/etcd/client/session/lease-status.ts';
import { parseEndpoints } from '../../../../src/engines/etcd/client/transport/endpoints.ts';

export interface OpenClient extends AsyncDisposable {
  readonly client: EtcdClient;
  readonly statuses: LeaseStatus[];
}

/** A client with a short lease, and what it has said of it. */
export function openEtcdClient(address: string, plan: Partial<EtcdClientPlan> = {}): OpenClient {
  const client = new EtcdClient({
    endpoints: parseEndpoints(address),
    leaseSeconds: 2,
    connectMs: 5000,
    callMs: 2000,
    readKey: Buffer.from('/locks/alive'),
    clock: systemClock,
    random: systemRandom,
    ...plan,
  });
  const statuses: LeaseStatus[] = [];
  client.onStatus((status) => statuses.push(status));
  return { client, statuses, [Symbol.asyncDispose]: () => client.close() };
}
