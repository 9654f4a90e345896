import { startCluster } from '../../../fixtures/etcd/etcd-cluster.ts';
import { testConformance } from './test-conformance.ts';

/** A busy machine does not give each member a quarter of a second: it would elect one leader after the other. */
const PATIENT = ['--heartbeat-interval', '200', '--election-timeout', '2000'];

/** The clients of one case are at different members: each of them asks the leader, whatever it knows itself. */
testConformance('etcd, a cluster of three', () => startCluster(PATIENT));
