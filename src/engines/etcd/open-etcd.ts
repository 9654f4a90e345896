import { assembleUnraised } from '../../kernels/assemble.ts';
import { ClocklessCells } from '../../kernels/cells/clockless-cells.ts';
import { clocklessProtocols } from '../../kernels/cells/clockless-protocols.ts';
import { ReliableCells } from '../../kernels/cells/reliable-cells.ts';
import { openPushedContext } from '../../kernels/context.ts';
import { lineProtocols } from '../../kernels/lines/line-protocols.ts';
import { permitLine } from '../../kernels/lines/permit-line.ts';
import type { Hold } from '../../spi/api/hold.ts';
import type { Clock, Random } from '../../spi/clock.ts';
import type { Traits } from '../../spi/engine/traits.ts';
import { EtcdClient } from './client/session/etcd-client.ts';
import { parseEndpoints } from './client/transport/endpoints.ts';
import { EtcdAnnouncements } from './etcd-announcements.ts';
import { EtcdDocuments } from './documents/etcd-documents.ts';
import { HEARTBEAT_KEY } from './layout/etcd-keys.ts';
import { EtcdLine } from './lines/etcd-line.ts';
import type { TxnStep } from './etcd-extras.ts';
import { EtcdLiveness } from './etcd-liveness.ts';
import { GuardedTxn } from './guarded-txn.ts';
import { etcdInspector } from './inspector/etcd-inspector.ts';
import { PermitLeases } from './lines/permit-leases.ts';
import { checkEtcdOptions, type EtcdOptions, USUAL_SESSION_MS } from './etcd-options.ts';
import { warnOfLease } from './warn-of-lease.ts';

/** A copy of a request is sent then, and a call without an answer is over. An election of a leader takes one or two seconds. */
const COMMAND_TIMEOUT_MS = 3000;
const CONNECT_MS = 10_000;
/** The lease of renewed holds, unless the session is shorter: a grant is handed over only while a third of its lease is left. */
const LONGEST_LEASE_MS = 30_000;

export const etcdTraits = {
  wakeUp: 'push',
  clock: 'process',
  crash: 'session',
  waiters: 'fleet',
  permitOrder: 'fleet',
  keyspace: 'by-kind',
  leaseGranularityMs: 0,
  scope: 'fleet',
} as const satisfies Traits;

export interface EtcdSurroundings {
  readonly clock: Clock;
  readonly random: Random;
}

/** The engine over members of etcd, and `ready` to open its session before the first call. */
export function assembleEtcd(options: EtcdOptions, { clock, random }: EtcdSurroundings) {
  checkEtcdOptions(options);
  const { endpoints, sessionMs, connectMs, keyPrefix, auth, tls, ...engineOptions } = options;
  const leaseSeconds = Math.ceil((sessionMs ?? USUAL_SESSION_MS) / 1000);
  const connection = {
    endpoints: parseEndpoints(endpoints),
    leaseSeconds,
    connectMs: connectMs ?? CONNECT_MS,
    callMs: Math.min(COMMAND_TIMEOUT_MS, (leaseSeconds * 1000) / 2),
    readKey: Buffer.from((keyPrefix ?? '') + HEARTBEAT_KEY),
    tls,
    user: auth,
  };
  const liveness = new EtcdLiveness({
    subject: { resource: 'etcd()', engine: 'etcd' },
    connect: () => new EtcdClient({ ...connection, clock, random }),
    onGranted: (granted) => warnOfLease(granted, client.label),
  });
  const context = openPushedContext({
    engine: 'etcd',
    options: { renewalLeaseMs: Math.min(leaseSeconds * 1000, LONGEST_LEASE_MS), ...engineOptions },
    clock,
    random,
    liveness,
  });
  const { client, session } = context;
  const store = { liveness, label: client.label, clock, root: keyPrefix ?? '' };
  const tickets = new EtcdLine(store);
  session.whenEnded.add(() => tickets.forget());
  const documents = new EtcdDocuments(store);
  const wire = new ClocklessCells(client, session, documents);
  const cells = new ReliableCells(client, session, wire, { commandTimeoutMs: COMMAND_TIMEOUT_MS });
  const lines = { client, session, tickets };
  const permitSemaphore = permitLine(lines, new PermitLeases(store));
  const protocols = { ...lineProtocols(lines), permitSemaphore, ...clocklessProtocols(cells) };
  const announcements = new EtcdAnnouncements({ ...store, subject: context.subject });
  const guarded = new GuardedTxn(store, client, tickets, () => session.open());
  const locks = {
    ...assembleUnraised(context, { traits: etcdTraits, protocols, announcements }),
    inspector: etcdInspector({ client, session, documents, protocols }, store),
    check: (hold: Hold) => guarded.check(hold),
    txn: (steps: readonly TxnStep[]) => guarded.txn(steps),
  };
  return { locks, ready: async (): Promise<void> => session.open(), lease: () => liveness.lease };
}
