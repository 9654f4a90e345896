import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { quorumLockSuite } from '../../../../src/testing/suites/quorum-lock-suite.ts';
import { quorumSkips } from '../../../fixtures/lines/quorum-skips.ts';
import { describeZooKeeper } from '../../../fixtures/zookeeper/zookeeper-jars.ts';
import { startZooKeeper, type ZooKeeperServer } from '../../../fixtures/zookeeper/zookeeper-server.ts';
import { fewAtATime } from '../../redis/side-by-side.ts';
import { ZooKeeperHarness } from './zookeeper-harness.ts';

const SERVERS = 3;
/** Of the members of a quorum. Members of one label are at one server, so that two fleets meet at each. */
const LABELS = ['one', 'two', 'three', 'four', 'five'];
/** A member has a tenth of a lease of three units to answer, which is a create, a list and the process between them. */
const UNIT_MS = 1200;

const serverOf = (label = ''): number => Math.max(0, LABELS.indexOf(label));

/** The members are independent: three servers that know nothing of each other, where an ensemble would be one store. */
describeZooKeeper('zookeeper, three single servers', () => {
  let servers: readonly ZooKeeperServer[] = [];
  const harness = new ZooKeeperHarness(() => servers, { unitMs: UNIT_MS, place: serverOf });
  beforeAll(async () => {
    servers = await Promise.all(Array.from({ length: SERVERS }, () => startZooKeeper()));
  }, 60_000);
  afterAll(async () => {
    harness.bury();
    await Promise.all(servers.map((server) => server.stop()));
  }, 60_000);

  quorumLockSuite({
    ...fewAtATime(describe, test, async () => undefined),
    harness,
    skip: quorumSkips,
  });

  describe('when all is over', () => {
    test('each server was a member, and no ticket is left on it', async () => {
      for (const server of servers) {
        const nodes = Number(/Node count: (\d+)/.exec(await server.ask('srvr'))?.[1]);
        expect(nodes, 'folders of the locks').toBeGreaterThan(SERVERS);
        expect((await server.ask('dump')).match(/\/holdfast\/lock\/\S+/g)).toBeNull();
      }
    });
  });
});
