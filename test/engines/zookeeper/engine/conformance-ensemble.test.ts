import { startEnsemble } from '../../../fixtures/zookeeper/zookeeper-ensemble.ts';
import { testConformance } from './test-conformance.ts';

/** The clients of one case are at different servers: a follower may be behind what another client has been answered. */
testConformance('zookeeper, an ensemble of three', () => startEnsemble());
