import { startZooKeeper } from '../../../fixtures/zookeeper/zookeeper-server.ts';
import { testConformance } from './test-conformance.ts';

testConformance('zookeeper, one server', async () => {
  const server = await startZooKeeper();
  return { servers: [server], leader: async () => server, stop: () => server.stop() };
});
