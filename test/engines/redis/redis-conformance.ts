import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Factories } from '../../../src/index.ts';
import { conformance, type ConformanceOptions, quorumLockSuite } from '../../../src/testing/index.ts';
import { LONGEST_LEASE_UNITS } from '../../../src/testing/suites/quorum-lock-suite.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { clientKinds, valkeyKind } from '../redis-drivers/client-kinds.ts';
import { slowness } from '../slowness.ts';
import { RedisHarness } from './redis-harness.ts';
import { fewAtATime, oneByOne, sideBySide } from './side-by-side.ts';
import { type Topology, topologies } from './topologies.ts';

/** Which client, and what it talks to. */
export interface Variant {
  /** A name out of {@link clientKinds}, or that of {@link valkeyKind}. */
  readonly client: string;
  readonly topology: keyof typeof topologies;
}

const QUORUM_UNIT_MS = 700;
/** And one more: the server tells whole seconds. */
const GROWN_UP_S = (LONGEST_LEASE_UNITS * QUORUM_UNIT_MS * slowness) / 1000 + 1;

/** What Redisson itself cannot do there, and we refuse. */
const inCluster: NonNullable<ConformanceOptions<keyof Factories>['skip']> = {
  latch: [
    {
      reason: 'the channel of a latch has braces of its own, which a name with braces moves to another slot',
      tests: ['odd names are good names'],
    },
  ],
};

/** The whole conformance suite for one client and one kind of server. */
export function redisConformance({ client, topology }: Variant): void {
  const kind = [...clientKinds, valkeyKind].find(({ name }) => name === client);
  if (kind === undefined) throw new TypeError(`There is no client "${client}".`);
  let servers: Topology | undefined;
  const harness = new RedisHarness(() => servers!.connect(kind));
  // A quorum gives its members only a part of the unit to answer, so not all its cases may begin at once.
  const patient = new RedisHarness(() => servers!.connect(kind), {}, QUORUM_UNIT_MS);
  const untilGrownUp = async (): Promise<void> => {
    for (const master of servers!.masters()) {
      const isUp = async () => Number((await master.info('server'))['uptime_in_seconds']) > GROWN_UP_S;
      await waitFor('the server is old enough for a quorum', isUp, 2000 * GROWN_UP_S);
    }
  };

  describeRedis(`${client}, ${topology}`, () => {
    beforeAll(async () => {
      servers = await topologies[topology]();
    }, 60_000);
    afterAll(async () => {
      await harness.bury();
      await patient.bury();
      await servers?.stop();
    }, 60_000);

    const skip = topology === 'cluster' ? inCluster : {};
    conformance({ ...sideBySide(describe, test), harness, skip });
    quorumLockSuite({ ...fewAtATime(describe, test, untilGrownUp), harness: patient });
    describe('alone', () => {
      conformance({ ...oneByOne(test), harness, skip });
    });

    describe('when all is over', () => {
      test('nothing is left that would not go by itself', async () => {
        await harness.bury();
        await patient.bury();
        for (const master of servers!.masters()) {
          // A server hears of a connection that was closed when it next looks.
          await waitFor('no client listens any more', async () => {
            const channels = (await master.command('PUBSUB', 'CHANNELS')) as string[];
            const shards = (await master.command('PUBSUB', 'SHARDCHANNELS')) as string[];
            const left = [...channels, ...shards].filter(
              (channel) => !servers!.ownChannels.includes(channel),
            );
            if (left.length > 0) throw new Error(left.join(' '));
            return true;
          });
          expect(await keysForEver(master)).toEqual([]);
        }
      }, 60_000);
    });
  });
}

interface Commander {
  command(...words: string[]): Promise<unknown>;
}

/** What users put there stays: counters, latches, the state of a monitor. Holds, marks and fences must not. */
async function keysForEver(server: Commander): Promise<readonly string[]> {
  const keys = (await server.command('KEYS', '*')) as string[];
  const staying = await Promise.all(
    keys.map(
      async (key) => Number(await server.command('PTTL', key)) === -1 && !(await isUsers(server, key)),
    ),
  );
  return keys.filter((_key, at) => staying[at]);
}

async function isUsers(server: Commander, key: string): Promise<boolean> {
  if (/^holdfast_(barrier|election|monitor):/.test(key)) return true;
  // The line of a fair lock has no end of its own, as with Java; its dead are passed over.
  if (/^redisson_lock_(queue|timeout):|:timeout$/.test(key)) return true;
  if (/^(redisson_lock_token|holdfast_)|rwlock_timeout/.test(key)) return false;
  return (await server.command('TYPE', key)) === 'string';
}
