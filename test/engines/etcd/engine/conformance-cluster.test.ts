import { startCluster } from '../../../fixtures/etcd/etcd-cluster.ts';
import { testConformance } from './test-conformance.ts';

/** The clients of one case are at different members: each of them asks the leader, whatever it knows itself. */
testConformance('etcd, a cluster of three', () => startCluster());
