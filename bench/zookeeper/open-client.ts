import type { ZooKeeperClient } from '../../src/engines/zookeeper/client/zookeeper-client.ts';

/** The client of the engine and nothing around it. It comes from the sources: the package keeps it to itself. */
export async function openClient(port: number): Promise<ZooKeeperClient> {
  const [{ ZooKeeperClient: Client }, { systemClock, systemRandom }] = await Promise.all([
    import('../../src/engines/zookeeper/client/zookeeper-client.ts'),
    import('../../src/core/time/clock.ts'),
  ]);
  const client = new Client({ servers: `127.0.0.1:${port}`, clock: systemClock, random: systemRandom });
  await client.ready();
  return client;
}
