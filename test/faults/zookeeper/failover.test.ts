import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openClient } from '../../engines/zookeeper/client/open-client.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { startEnsemble, type ZooKeeperEnsemble } from '../../fixtures/zookeeper/zookeeper-ensemble.ts';
import { describeZooKeeper } from '../../fixtures/zookeeper/zookeeper-jars.ts';
import type { ZooKeeperServer } from '../../fixtures/zookeeper/zookeeper-server.ts';
import { holdables } from './holdables.ts';
import { openProxied, type ProxiedLocks, type ProxiedLocksOptions } from './proxied-locks.ts';
import { ticketsIn } from './tickets-in.ts';

/** Longer than an election, and than the start of three servers on a busy machine. */
const LONG_SESSION_MS = 40_000;
/** A silent server is given up after a third of it. */
const SILENT_SESSION_MS = 20_000;
const SHORT_SESSION_MS = 3000;
const DEADLINE_MS = 60_000;
const kinds = holdables.filter(({ excludes }) => excludes);

/** Undoes a fault. */
type Mend = () => Promise<void>;

interface Fault {
  readonly what: string;
  readonly sessionMs?: number;
  /** The server at which all clients are. */
  readonly at: (ensemble: ZooKeeperEnsemble) => Promise<ZooKeeperServer>;
  readonly begin: (
    ensemble: ZooKeeperEnsemble,
    at: ZooKeeperServer,
    clients: readonly ProxiedLocks[],
  ) => Promise<Mend>;
}

const leader = (ensemble: ZooKeeperEnsemble): Promise<ZooKeeperServer> => ensemble.leader();
const follower = (ensemble: ZooKeeperEnsemble): Promise<ZooKeeperServer> => ensemble.follower();

async function killed(_: ZooKeeperEnsemble, at: ZooKeeperServer): Promise<Mend> {
  await at.kill();
  return () => at.restart();
}

/** The rows of the failover table in docs/engines/zookeeper.md in which nothing is lost. */
const KEPT: readonly Fault[] = [
  { what: 'the server of the clients is killed', at: follower, begin: killed },
  { what: 'the leader is killed', at: leader, begin: killed },
  {
    what: 'the leader stands still',
    sessionMs: SILENT_SESSION_MS,
    at: leader,
    begin: async (_, at) => {
      await at.pause();
      return async () => {
        at.resume();
        await at.waitReady();
      };
    },
  },
  {
    what: 'the server of the clients is silent',
    sessionMs: SILENT_SESSION_MS,
    at: follower,
    begin: async (_ensemble, _at, clients) => {
      const ends = clients.map(({ proxy }) => proxy.silence());
      return async () => ends.forEach((end) => end());
    },
  },
  {
    what: 'a follower is cut off from the leader, and notices within the session',
    at: follower,
    begin: async (ensemble, at) => {
      ensemble.cutOff(at);
      return async () => {
        await ensemble.heal(at);
        await at.waitReady();
      };
    },
  },
  {
    what: 'all servers restart with their data',
    at: leader,
    begin: async ({ servers }) => {
      await Promise.all(servers.map((server) => server.kill()));
      await Promise.all(servers.map((server) => server.restart()));
      return async () => undefined;
    },
  },
];

describeZooKeeper('failover', { timeout: 180_000 }, () => {
  let ensemble: ZooKeeperEnsemble;
  beforeAll(async () => {
    ensemble = await startEnsemble();
  }, 60_000);
  afterAll(() => ensemble?.stop());

  /** A client whose first server is this one, and that knows the others. */
  function openAt(server: ZooKeeperServer, options: ProxiedLocksOptions): Promise<ProxiedLocks> {
    return openProxied([server, ...ensemble.servers.filter((each) => each !== server)], options);
  }

  describe('keeps holds, and waiters their position, when', () => {
    test.each(KEPT)('$what', async ({ what, at, begin, sessionMs = LONG_SESSION_MS }) => {
      const server = await at(ensemble);
      const options = { sessionMs, renewalLeaseMs: sessionMs };
      await using holder = await openAt(server, options);
      await using one = await openAt(server, options);
      await using other = await openAt(server, options);
      const raw = openClient(ensemble.address, { sessionMs: LONG_SESSION_MS });
      const lines = kinds.map(({ kind, folders, ...rest }) => {
        const name = `/failover/${what.replaceAll(' ', '-')}/${kind}`;
        return { ...rest, name, kind, folders, entered: [] as string[] };
      });

      const holds = await Promise.all(lines.map(({ acquire, name }) => acquire(holder.locks, name)));
      const waits: Promise<void>[] = [];
      for (const [place, [who, { locks }]] of [['one', one] as const, ['other', other] as const].entries()) {
        for (const { acquire, name, entered } of lines)
          waits.push(acquire(locks, name).then((hold) => (entered.push(who), hold.release())));
        for (const { name, folders } of lines) {
          // Of a semaphore, those that wait stand in a line of their own.
          const length = folders.length === 1 ? place + 2 : place + 1;
          await waitFor(
            `${who} waits for ${name}`,
            async () => (await ticketsIn(raw, [name + folders[0]!])).length === length,
          );
        }
      }
      const paths = lines.flatMap(({ name, folders }) => folders.map((folder) => name + folder));
      const before = await ticketsIn(raw, paths);

      const clients = [holder, one, other];
      const mend = await begin(ensemble, server, clients);
      try {
        for (const { locks } of clients)
          await waitFor('it goes on', async () => (await locks.lock('/any').waiters(), true), DEADLINE_MS);
        expect(await waitFor('the tickets are seen', () => ticketsIn(raw, paths), DEADLINE_MS)).toEqual(
          before,
        );
        for (const hold of holds) hold.throwIfLost();
        await Promise.all(holds.map((hold) => hold.release()));
        await Promise.all(waits);
        for (const { kind, entered } of lines) expect(entered, kind).toEqual(['one', 'other']);
      } finally {
        await mend();
      }
    });
  });

  test('no majority of the servers: holds are lost after the session time, waiters are rejected', async () => {
    const survivor = await ensemble.leader();
    const options = { sessionMs: SHORT_SESSION_MS, connectMs: SHORT_SESSION_MS };
    await using holder = await openAt(survivor, options);
    await using waiter = await openAt(survivor, options);
    const raw = openClient(ensemble.address);
    const name = '/failover/no-majority';
    const hold = await holder.locks.lock(name).acquire();
    const lost = new Promise((resolve) => {
      hold.lost.addEventListener('abort', resolve);
    });
    const outcome = waiter.locks
      .lock(name)
      .acquire()
      .then(
        () => 'acquired',
        (error: unknown) => error,
      );
    await waitFor('it waits', async () => (await ticketsIn(raw, [name])).length === 2);
    const dead = ensemble.servers.filter((server) => server !== survivor);
    await Promise.all(dead.map((server) => server.kill()));
    try {
      await lost;
      expect(await outcome).toMatchObject({ code: 'ENGINE', retryable: true });
    } finally {
      await Promise.all(dead.map((server) => server.restart()));
    }
  });

  test('a waiter that is cut off for longer than its session starts again in a new one', async () => {
    const server = await ensemble.follower();
    await using holder = await openAt(server, { sessionMs: LONG_SESSION_MS });
    await using waiter = await openAt(server, { sessionMs: SHORT_SESSION_MS });
    const raw = openClient(ensemble.address);
    const name = '/failover/cut-off';
    const hold = await holder.locks.lock(name).acquire();
    const [held] = await waitFor(
      'it holds',
      async () => (await ticketsIn(raw, [name])).length === 1 && ticketsIn(raw, [name]),
    );
    const waiting = waiter.locks.lock(name).acquire();
    const ticketOfWaiter = async (): Promise<string | undefined> =>
      (await ticketsIn(raw, [name])).find((ticket) => ticket !== held);
    const first = await waitFor('it waits', ticketOfWaiter);
    const pass = waiter.silence();
    await waitFor('its session is over', async () => (await ticketOfWaiter()) === undefined, DEADLINE_MS);
    pass();
    const second = await waitFor('it waits again', ticketOfWaiter, DEADLINE_MS);
    expect(second).not.toBe(first);
    hold.throwIfLost();
    await hold.release();
    await (await waiting).release();
  });
});
