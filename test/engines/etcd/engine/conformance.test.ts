import { startEtcd } from '../../../fixtures/etcd/etcd-server.ts';
import { testConformance } from './test-conformance.ts';

testConformance('etcd, one member', async () => {
  const server = await startEtcd();
  return { servers: [server], stop: () => server.stop() };
});
