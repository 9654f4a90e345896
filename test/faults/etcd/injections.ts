import type { Random } from '../../../src/spi/clock.ts';
import type { EtcdCluster } from '../../fixtures/etcd/etcd-cluster.ts';
import type { EtcdServer } from '../../fixtures/etcd/etcd-server.ts';
import { ProcessClock } from '../../fixtures/processes/process-clock.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import type { Program } from '../redis/program.ts';
import type { ForcedEnds } from '../zookeeper/forced-ends.ts';
import type { ProxiedEtcd } from './proxied-etcd.ts';

/** What a storm falls upon. */
export interface EtcdGround {
  readonly cluster: EtcdCluster;
  readonly clients: readonly ProxiedEtcd[];
  readonly programs: readonly Program[];
  readonly name: string;
  readonly sessionMs: number;
  readonly forced: ForcedEnds;
}

export interface EtcdFault {
  readonly lastsMs: number;
  readonly mend: () => void | Promise<void>;
}

/** Begins one fault, and returns what ends it. Faults overlap; `mend` is called for each of them, in time. */
type EtcdInjection = (ground: EtcdGround, random: Random) => Promise<EtcdFault | undefined>;

const STALL_MS = 400;
const SERVER_FAULT_MS = 3000;

/** Each kind as often as its number says. */
const injections: readonly (readonly [number, string, EtcdInjection])[] = [
  [5, 'a connection breaks', inOneClient(({ proxies }) => proxies.forEach((proxy) => proxy.reset()))],
  [5, 'an answer is lost', inOneClient(({ proxies }) => proxies.forEach((proxy) => proxy.loseNextReply()))],
  [3, 'a call is lost', inOneClient(({ proxies }) => proxies.forEach((proxy) => proxy.loseNextRequest()))],
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
    'a lease is revoked',
    async ({ cluster, clients, forced }, random) => {
      const { session } = oneOf(clients, random);
      if (session === undefined) return undefined;
      forced.add(session);
      await cluster.ask('kv/lease/revoke', { ID: String(session) }).catch(() => undefined);
      return undefined;
    },
  ],
  [
    3,
    'a ticket is deleted by hand',
    async ({ cluster, name, forced }, random) => {
      const tickets = await ticketsOf(cluster, name).catch(() => []);
      if (tickets.length === 0) return undefined;
      const ticket = oneOf(tickets, random);
      forced.add(ticket);
      await cluster.ask('kv/deleterange', { key: base64(ticket) }).catch(() => undefined);
      return undefined;
    },
  ],
  [
    3,
    'the history is compacted',
    async ({ cluster }) => {
      await compact(cluster).catch(() => undefined);
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

/** At most one at a time: two members of three have to be there. */
const memberInjections: readonly (readonly [
  string,
  (server: EtcdServer, cluster: EtcdCluster) => Promise<() => void | Promise<void>>,
])[] = [
  [
    'a member is killed',
    async (server) => {
      await server.kill();
      return () => server.restart();
    },
  ],
  [
    'a member stands still',
    async (server) => {
      await server.pause();
      return async () => {
        server.resume();
        await server.waitReady();
      };
    },
  ],
  [
    'a member is cut off from the others',
    async (server, cluster) => {
      const heal = await cluster.cutOff(server);
      return async () => {
        heal();
        await server.waitReady();
      };
    },
  ],
  ['a member has no room', (server, cluster) => raiseAlarm(cluster, server)],
  ...(ProcessClock.isAvailable
    ? ([
        ['the clock of a member steps forwards', inSteps(3600)],
        ['the clock of a member steps backwards', inSteps(-3600)],
      ] as const)
    : []),
];

/**
 * A leader of 3.4 whose clock is set back ends what leases it has counted before only when its clock is where it was (`stepped-clock.test.ts`): the
 * lock of a client that died would stay taken for an hour. Another leader counts them anew.
 */
function inSteps(seconds: number) {
  return async (server: EtcdServer, cluster: EtcdCluster): Promise<() => Promise<void>> => {
    await server.setClockAhead(seconds);
    return async () => {
      await server.setClockAhead(0);
      await waitFor('another member leads', async () => {
        await cluster.moveLeaderFrom(server);
        return true;
      });
    };
  };
}

/** The alarm of a database that has reached its quota: no member takes a write that puts anything. Returns what disarms it. */
export async function raiseAlarm(
  cluster: { ask(path: string, body?: object): Promise<Record<string, unknown>> },
  server: EtcdServer,
): Promise<() => Promise<void>> {
  const { id } = await server.roles();
  const alarm = (action: string) =>
    cluster.ask('maintenance/alarm', { action, alarm: 'NOSPACE', memberID: id });
  await alarm('ACTIVATE');
  return async () => {
    await alarm('DEACTIVATE');
  };
}

/** Forgets all revisions but the last. */
export async function compact(cluster: {
  ask(path: string, body?: object): Promise<Record<string, unknown>>;
}): Promise<void> {
  const { header } = (await cluster.ask('kv/range', { key: base64('/none') })) as {
    readonly header: { readonly revision: string };
  };
  await cluster.ask('kv/compaction', { revision: header.revision });
}

/** The keys below a name. */
export async function ticketsOf(
  cluster: { ask(path: string, body?: object): Promise<Record<string, unknown>> },
  name: string,
): Promise<readonly string[]> {
  const body = { key: base64(`${name}/`), range_end: base64(`${name}0`), keys_only: true };
  const { kvs = [] } = (await cluster.ask('kv/range', body)) as {
    readonly kvs?: readonly { readonly key: string }[];
  };
  return kvs.map(({ key }) => Buffer.from(key, 'base64').toString());
}

/** A fault of a client, by chance. */
export function drawClientFault(random: Random): { readonly what: string; readonly inject: EtcdInjection } {
  const weighted = injections.flatMap(([times, ...rest]) => Array.from({ length: times }, () => rest));
  const [what, inject] = oneOf(weighted, random);
  return { what, inject };
}

/** A fault of any of the members, the leader among them. */
export function drawMemberFault(random: Random): { readonly what: string; readonly inject: EtcdInjection } {
  const [what, begin] = oneOf(memberInjections, random);
  return {
    what,
    inject: async ({ cluster }) => {
      const mend = await begin(oneOf(cluster.servers, random), cluster);
      return { lastsMs: SERVER_FAULT_MS * random.fraction(), mend };
    },
  };
}

function inOneClient(act: (client: ProxiedEtcd) => void): EtcdInjection {
  return async ({ clients }, random) => {
    act(oneOf(clients, random));
    return undefined;
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function oneOf<T>(all: readonly T[], random: Random): T {
  return all[Math.floor(random.fraction() * all.length)]!;
}
