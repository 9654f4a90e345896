import { assembleUnraised } from '../../kernels/assemble.ts';
import { ClocklessCells } from '../../kernels/cells/clockless-cells.ts';
import { clocklessProtocols } from '../../kernels/cells/clockless-protocols.ts';
import { ReliableCells } from '../../kernels/cells/reliable-cells.ts';
import { openPushedContext } from '../../kernels/context.ts';
import { leasedSemaphore } from '../../kernels/lines/leased-semaphore.ts';
import { lineProtocols } from '../../kernels/lines/line-protocols.ts';
import type { Clock, Random } from '../../spi/clock.ts';
import type { Traits } from '../../spi/engine/traits.ts';
import { openAccess } from './client/protocol/access-rule.ts';
import { ZooKeeperClient } from './client/zookeeper-client.ts';
import { newTicketId } from './layout/ticket-id.ts';
import { warnOfSession } from './warn-of-session.ts';
import { ZooKeeperDocuments } from './zookeeper-documents.ts';
import { ZooKeeperLine } from './zookeeper-line.ts';
import { ZooKeeperLiveness } from './zookeeper-liveness.ts';
import { checkZooKeeperOptions, type ZooKeeperOptions } from './zookeeper-options.ts';

/** A copy of a request is sent then. The client gives a silent server up after a third of the session, which may be longer. */
const COMMAND_TIMEOUT_MS = 3000;

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

/** The engine over servers of ZooKeeper, in Curator's layout. */
export function openZooKeeper(options: ZooKeeperOptions, { clock, random }: ZooKeeperSurroundings) {
  checkZooKeeperOptions(options);
  const { servers, sessionMs, namespace, auth, sasl, access = openAccess, tls, ...engineOptions } = options;
  const connection = {
    servers,
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
  const context = openPushedContext({ engine: 'zookeeper', options: engineOptions, clock, random, liveness });
  const { client, session } = context;
  const root = namespace === undefined ? '' : `/${namespace}`;
  const store = { liveness, label: client.label, access, root };
  const tickets = new ZooKeeperLine(store);
  session.whenEnded.add(() => tickets.forget());
  const lines = {
    client,
    session,
    tickets,
    traits: { newOwner: () => newTicketId(random), mostPermits: MOST_PERMITS },
  };
  const { lock, fairLock, readWriteLock, election } = lineProtocols(lines);
  const wire = new ClocklessCells(client, session, new ZooKeeperDocuments(store));
  const cells = new ReliableCells(client, session, wire, { commandTimeoutMs: COMMAND_TIMEOUT_MS });
  const semaphore = leasedSemaphore(lines);
  const protocols = { lock, fairLock, readWriteLock, semaphore, election, ...clocklessProtocols(cells) };
  return assembleUnraised(context, { traits: zooKeeperTraits, protocols });
}
