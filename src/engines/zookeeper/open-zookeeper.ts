import { assembleUnraised } from '../../kernels/assemble.ts';
import { ClocklessCells } from '../../kernels/cells/clockless-cells.ts';
import { clocklessProtocols } from '../../kernels/cells/clockless-protocols.ts';
import { ReliableCells } from '../../kernels/cells/reliable-cells.ts';
import { openPushedContext } from '../../kernels/context.ts';
import { leasedSemaphore } from '../../kernels/lines/leased-semaphore.ts';
import { lineProtocols } from '../../kernels/lines/line-protocols.ts';
import type { Hold } from '../../spi/api/hold.ts';
import type { Clock, Random } from '../../spi/clock.ts';
import type { Traits } from '../../spi/engine/traits.ts';
import { openAccess } from './client/protocol/access-rule.ts';
import { type MultiStep, ZooKeeperClient } from './client/zookeeper-client.ts';
import { GuardedMulti } from './guarded-multi.ts';
import { zooKeeperInspector } from './inspector/zookeeper-inspector.ts';
import { newTicketId } from './layout/ticket-id.ts';
import type { ZooKeeperSynchronizers } from './index.ts';
import { warnOfSession } from './warn-of-session.ts';
import { ZooKeeperAnnouncements } from './zookeeper-announcements.ts';
import { ZooKeeperDocuments } from './documents/zookeeper-documents.ts';
import { ZooKeeperLine } from './lines/zookeeper-line.ts';
import { ZooKeeperLiveness } from './zookeeper-liveness.ts';
import { checkZooKeeperOptions, type ZooKeeperOptions } from './zookeeper-options.ts';

/** A copy of a request is sent then. The client gives a silent server up after a third of the session, which may be longer. */
const COMMAND_TIMEOUT_MS = 3000;

/** An election of the ensemble takes a few seconds, and none of its servers answers meanwhile. */
const CONNECT_MS = 10_000;

/**
 * The lease of renewed holds, unless the session is shorter. A grant is handed over in a process only while a third of its lease
 * is left: with a lease of three sessions that is never, and each hand-over would be a release and a grant of the servers.
 */
const LONGEST_LEASE_MS = 30_000;

/** Each permit of a semaphore is a node, and a request for many of them as many writes. */
const MOST_PERMITS = 100;

export const zooKeeperTraits = {
  wakeUp: 'push',
  clock: 'process',
  crash: 'session',
  waiters: 'fleet',
  permitOrder: 'fleet',
  keyspace: 'by-kind',
  leaseGranularityMs: 0,
  scope: 'fleet',
} as const satisfies Traits;

export interface ZooKeeperSurroundings {
  readonly clock: Clock;
  readonly random: Random;
}

/** The engine over servers of ZooKeeper, in Curator's layout. Its session opens with the first call. */
export function openZooKeeper(
  options: ZooKeeperOptions,
  surroundings: ZooKeeperSurroundings,
): ZooKeeperSynchronizers {
  return assembleZooKeeper(options, surroundings).locks;
}

/** The same, and `ready` to open the session before the first call. */
export function assembleZooKeeper(options: ZooKeeperOptions, { clock, random }: ZooKeeperSurroundings) {
  checkZooKeeperOptions(options);
  const { servers, sessionMs, connectMs, namespace, auth, sasl, access, tls, ...engineOptions } = options;
  const connection = {
    servers,
    connectMs: connectMs ?? CONNECT_MS,
    ...(sessionMs !== undefined && { sessionMs }),
    ...(tls !== undefined && { tls }),
    ...(auth !== undefined && { auth }),
    ...(sasl !== undefined && { sasl }),
  };
  const liveness = new ZooKeeperLiveness({
    subject: { resource: 'zookeeper()', engine: 'zookeeper' },
    connect: () => new ZooKeeperClient({ ...connection, clock, random }),
    onGranted: (granted) => warnOfSession(granted, client.label),
  });
  const context = openPushedContext({
    engine: 'zookeeper',
    options: { renewalLeaseMs: Math.min(sessionMs ?? Infinity, LONGEST_LEASE_MS), ...engineOptions },
    clock,
    random,
    liveness,
  });
  const { client, session } = context;
  const root = namespace === undefined ? '' : `/${namespace}`;
  const store = { liveness, label: client.label, access: access ?? openAccess, root };
  const tickets = new ZooKeeperLine(store);
  session.whenEnded.add(() => tickets.forget());
  const lines = {
    client,
    session,
    tickets,
    traits: { newOwner: () => newTicketId(random), mostPermits: MOST_PERMITS },
  };
  const { lock, fairLock, readWriteLock, election } = lineProtocols(lines);
  const documents = new ZooKeeperDocuments(store);
  const wire = new ClocklessCells(client, session, documents);
  const cells = new ReliableCells(client, session, wire, { commandTimeoutMs: COMMAND_TIMEOUT_MS });
  const semaphore = leasedSemaphore(lines);
  const protocols = { lock, fairLock, readWriteLock, semaphore, election, ...clocklessProtocols(cells) };
  const announcements = new ZooKeeperAnnouncements({ ...store, clock, subject: context.subject });
  const guarded = new GuardedMulti(store, tickets, () => session.open());
  const locks = {
    ...assembleUnraised(context, { traits: zooKeeperTraits, protocols, announcements }),
    inspector: zooKeeperInspector({ client, session, documents, protocols }, store),
    check: (hold: Hold) => guarded.check(hold),
    multi: (steps: readonly MultiStep[]) => guarded.multi(steps),
  };
  return { locks, ready: async (): Promise<void> => session.open() };
}
