import type { ZooKeeperClient } from '../../../src/engines/zookeeper/client/zookeeper-client.ts';
import type { Random } from '../../../src/spi/clock.ts';
import type { ZooKeeperEnsemble } from '../../fixtures/zookeeper/zookeeper-ensemble.ts';
import type { ZooKeeperServer } from '../../fixtures/zookeeper/zookeeper-server.ts';
import type { Program } from '../redis/program.ts';
import type { ForcedEnds } from './forced-ends.ts';
import type { ProxiedLocks } from './proxied-locks.ts';
import { ticketsIn } from './tickets-in.ts';

/** What a storm falls upon. */
export interface StormGround {
  readonly ensemble: ZooKeeperEnsemble;
  readonly clients: readonly ProxiedLocks[];
  readonly programs: readonly Program[];
  readonly observer: ZooKeeperClient;
  readonly folder: string;
  readonly sessionMs: number;
  readonly forced: ForcedEnds;
}

/** Begins one fault, and returns what ends it. Faults overlap; `mend` is called for each of them, in time. */
type Injection = (ground: StormGround, random: Random) => Promise<Fault | undefined>;

export interface Fault {
  readonly lastsMs: number;
  readonly mend: () => void | Promise<void>;
}

const STALL_MS = 400;
const SERVER_FAULT_MS = 3000;

/** Each kind as often as its number says. */
const injections: readonly (readonly [number, string, Injection])[] = [
  [5, 'a connection breaks', inOneClient(({ proxies }) => proxies.forEach((proxy) => proxy.reset()))],
  [5, 'a reply is lost', inOneClient(({ proxies }) => proxies.forEach((proxy) => proxy.loseNextReply()))],
  [3, 'a request is lost', inOneClient(({ proxies }) => proxies.forEach((proxy) => proxy.loseNextRequest()))],
  [
    3,
    'a client is cut off',
    async ({ clients, sessionMs }, random) => ({
      lastsMs: 2 * sessionMs * random.fraction(),
      mend: oneOf(clients, random).silence(),
    }),
  ],
  [
    2,
    'a session is ended at the server',
    async ({ clients, forced }, random) => {
      for (const proxy of oneOf(clients, random).proxies)
        for (const session of proxy.endSession()) forced.add(session);
      return undefined;
    },
  ],
  [
    3,
    'a ticket is deleted by hand',
    async ({ observer, folder, forced }, random) => {
      const tickets = await ticketsIn(observer, [folder]).catch(() => []);
      if (tickets.length === 0) return undefined;
      const ticket = oneOf(tickets, random);
      forced.add(ticket);
      await observer.delete(ticket).catch(() => undefined);
      return undefined;
    },
  ],
  [
    2,
    'a process stands still',
    async ({ programs, sessionMs }, random) => {
      const program = oneOf(programs, random);
      await program.pause();
      return { lastsMs: 2 * sessionMs * random.fraction(), mend: () => program.resume() };
    },
  ],
  [
    1,
    'the event loop stands still',
    async (_, random) => {
      const until = performance.now() + STALL_MS * random.fraction();
      while (performance.now() < until);
      return undefined;
    },
  ],
];

/** At most one at a time: two servers of three have to be there. */
const serverInjections: readonly (readonly [
  string,
  (server: ZooKeeperServer, ensemble: ZooKeeperEnsemble) => Promise<() => Promise<void>>,
])[] = [
  [
    'a server is killed',
    async (server) => {
      await server.kill();
      return () => server.restart();
    },
  ],
  [
    'a server stands still',
    async (server) => {
      await server.pause();
      return async () => {
        server.resume();
        await server.waitReady();
      };
    },
  ],
  [
    'a server is cut off from the others',
    async (server, ensemble) => {
      ensemble.disconnect(server);
      return async () => {
        await ensemble.heal(server);
        await server.waitReady();
      };
    },
  ],
];

/** A fault of a client, by chance. */
export function drawClientFault(random: Random): { readonly what: string; readonly inject: Injection } {
  const weighted = injections.flatMap(([times, ...rest]) => Array.from({ length: times }, () => rest));
  const [what, inject] = oneOf(weighted, random);
  return { what, inject };
}

/** A fault of any of the servers, the leader among them. */
export function drawServerFault(random: Random): { readonly what: string; readonly inject: Injection } {
  const [what, begin] = oneOf(serverInjections, random);
  return {
    what,
    inject: async ({ ensemble }) => {
      const mend = await begin(oneOf(ensemble.servers, random), ensemble);
      return { lastsMs: SERVER_FAULT_MS * random.fraction(), mend };
    },
  };
}

function inOneClient(act: (client: ProxiedLocks) => void): Injection {
  return async ({ clients }, random) => {
    act(oneOf(clients, random));
    return undefined;
  };
}

function oneOf<T>(all: readonly T[], random: Random): T {
  return all[Math.floor(random.fraction() * all.length)]!;
}
