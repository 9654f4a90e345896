import type { EtcdClient } from '../../src/engines/etcd/client/session/etcd-client.ts';

/** The client of the engine and nothing around it. It comes from the sources: the package keeps it to itself. */
export async function openEtcdClient(port: number): Promise<EtcdClient> {
  const [{ EtcdClient: Client }, { systemClock, systemRandom }] = await Promise.all([
    import('../../src/engines/etcd/client/session/etcd-client.ts'),
    import('../../src/core/time/clock.ts'),
  ]);
  const client = new Client({
    endpoints: [{ host: '127.0.0.1', port }],
    leaseSeconds: 30,
    connectMs: 5000,
    callMs: 3000,
    readKey: Buffer.from('/holdfast/alive'),
    clock: systemClock,
    random: systemRandom,
  });
  await client.ready();
  return client;
}
