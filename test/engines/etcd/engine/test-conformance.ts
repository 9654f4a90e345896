import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engineSuite } from '../../../../src/testing/suites/engine-suite.ts';
import { multiLockSuite } from '../../../../src/testing/suites/multi-lock-suite.ts';
import type { Runner, Skip } from '../../../../src/testing/suites/suite.ts';
import { suites } from '../../../../src/testing/suites/suites.ts';
import { describeEtcd } from '../../../fixtures/etcd/describe-etcd.ts';
import type { EtcdServer } from '../../../fixtures/etcd/etcd-server.ts';
import type { EtcdUser } from '../../../../src/engines/etcd/index.ts';
import { oneByOne, sideBySide } from '../../redis/side-by-side.ts';
import { ETCD_KINDS, EtcdHarness, type EtcdKind } from './etcd-harness.ts';

/** A case that sets a few hundred milliseconds for its answers must not stand behind a hundred that open their connections. */
const AT_A_TIME = 14;

const QUERIES = 'queries tell what any client can see';

/** The store has no clock and no leases of holds: what is left of a lease is known to the client alone that ends it. */
const withoutLeases = (...tests: readonly string[]): Skip => ({
  reason: 'no other client knows what is left of a lease that its client ends',
  tests,
});

const skips: Readonly<Partial<Record<EtcdKind, readonly Skip[]>>> = {
  lock: [withoutLeases(QUERIES)],
  fairLock: [withoutLeases(QUERIES)],
  readWriteLock: [
    withoutLeases(`read side: ${QUERIES}`, `write side: ${QUERIES}`),
    {
      reason:
        'a read side under a write keeps the ticket of the write: none can join ahead of those who wait',
      tests: [
        'a writer may read, and keeps reading when it stops to write',
        'readers that waited for a writer come in when it only reads any more',
        'a single attempt to read under a write, behind another, hears of an outage too',
        'each side tells of itself',
      ],
    },
  ],
};

/** The members that one run of the suites uses. */
export interface ConformanceMembers {
  readonly servers: readonly Pick<EtcdServer, 'port' | 'ask'>[];
  stop(): Promise<void>;
}

/** Runs every published suite that the engine offers, each client of a case at the next of the members. */
export function testConformance(
  title: string,
  start: () => Promise<ConformanceMembers>,
  user?: EtcdUser,
): void {
  describeEtcd(title, () => {
    let started!: ConformanceMembers;
    const harness = new EtcdHarness(() => started.servers, user);
    beforeAll(async () => {
      started = await start();
    }, 60_000);
    afterAll(async () => {
      harness.bury();
      await started?.stop();
    }, 60_000);

    /** The quorum is left to the lines in memory, in exact time: its members have a tenth of a lease to answer. */
    const all = (runner: Runner): void => {
      engineSuite({ ...runner, harness });
      multiLockSuite({ ...runner, harness });
      for (const kind of ETCD_KINDS) suites[kind]({ ...runner, harness, skip: skips[kind] ?? [] });
    };
    all(sideBySide(describe, test, AT_A_TIME));
    describe('alone', () => {
      all(oneByOne(test));
    });

    describe('when all is over', () => {
      test('no lease and no ticket is left', async () => {
        const { leases = [] } = await started.servers[0]!.ask('lease/leases');
        expect(leases).toEqual([]);
      });
    });
  });
}
