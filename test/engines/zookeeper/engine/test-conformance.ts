import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engineSuite } from '../../../../src/testing/suites/engine-suite.ts';
import { multiLockSuite } from '../../../../src/testing/suites/multi-lock-suite.ts';
import type { Runner, Skip } from '../../../../src/testing/suites/suite.ts';
import { suites } from '../../../../src/testing/suites/suites.ts';
import { describeZooKeeper } from '../../../fixtures/zookeeper/zookeeper-jars.ts';
import type { ZooKeeperServer } from '../../../fixtures/zookeeper/zookeeper-server.ts';
import { oneByOne, sideBySide } from '../../redis/side-by-side.ts';
import { openClient } from '../client/open-client.ts';
import { ZOOKEEPER_KINDS, ZooKeeperHarness, type ZooKeeperKind } from './zookeeper-harness.ts';

/** A case that sets a few hundred milliseconds for its answers must not stand behind a hundred that open their connections. */
const AT_A_TIME = 20;

const QUERIES = 'queries tell what any client can see';

/** The store has no clock and no leases: what is left of a lease is known to the client alone that ends it. */
const withoutLeases = (...tests: readonly string[]): Skip => ({
  reason: 'no other client knows what is left of a lease that its client ends',
  tests,
});

const skips: Readonly<Partial<Record<ZooKeeperKind, readonly Skip[]>>> = {
  lock: [withoutLeases(QUERIES)],
  fairLock: [withoutLeases(QUERIES)],
  readWriteLock: [withoutLeases(`read side: ${QUERIES}`, `write side: ${QUERIES}`)],
  semaphore: [
    {
      reason: 'Curator keeps no number of permits: the participants agree on it',
      tests: ['another number of permits than the others use is refused'],
    },
  ],
};

/** The servers that one run of the suites uses. */
export interface ConformanceServers {
  readonly servers: readonly ZooKeeperServer[];
  leader(): Promise<ZooKeeperServer>;
  stop(): Promise<void>;
}

/** Runs every published suite that the engine offers, each client of a case at the next of the servers. */
export function testConformance(title: string, start: () => Promise<ConformanceServers>): void {
  describeZooKeeper(title, () => {
    let started!: ConformanceServers;
    const harness = new ZooKeeperHarness(() => started.servers);
    beforeAll(async () => {
      started = await start();
    }, 60_000);
    afterAll(async () => {
      harness.bury();
      await started?.stop();
    }, 60_000);

    /** Without the quorum, whose members are independent stores: `quorum.test.ts` runs it on three servers. */
    const all = (runner: Runner): void => {
      engineSuite({ ...runner, harness });
      multiLockSuite({ ...runner, harness });
      for (const kind of ZOOKEEPER_KINDS) suites[kind]({ ...runner, harness, skip: skips[kind] ?? [] });
    };
    all(sideBySide(describe, test, AT_A_TIME));
    describe('alone', () => {
      all(oneByOne(test));
    });

    describe('when all is over', () => {
      test('no session and no ticket is left', async () => {
        // Only a leader knows the sessions of all servers.
        const leader = await started.leader();
        const client = openClient(leader.address);
        const { id } = await client.ready();
        const sessions = (await leader.ask('dump')).match(/0x[0-9a-f]{8,}/g);
        expect(sessions?.filter((one) => one !== `0x${id.toString(16)}`)).toEqual([]);
      });
    });
  });
}
