import type { Clock, EngineOptions, Inspector, Random, Synchronizers, Traits } from 'holdfast';
import {
  assemble,
  checkEngineOptions,
  openContext,
  OptimisticCells,
  ReliableCells,
  remoteProtocols,
  systemClock,
  systemRandom,
} from 'holdfast/engine';
import type { MapConnection } from './map-connection.ts';
import { MapDocuments } from './map-documents.ts';
import { mapInspector } from './map-inspector.ts';

export interface MapEngineOptions extends EngineOptions {
  /** The engine closes it when it is closed. */
  readonly connection: MapConnection;
  /** How long a reply is waited for before the request is sent again. 3 seconds without it. */
  readonly commandTimeoutMs?: number;
  readonly clock?: Clock;
  readonly random?: Random;
}

const traits = {
  wakeUp: 'push',
  clock: 'server',
  crash: 'lease',
  waiters: 'fleet',
  permitOrder: 'fleet',
  keyspace: 'by-kind',
  leaseGranularityMs: 0,
  scope: 'fleet',
} as const satisfies Traits;

/** What `mapEngine()` gives: all synchronizers, and a look at them. */
export type MapSynchronizers = Synchronizers & {
  readonly traits: typeof traits;
  readonly inspector: Inspector;
};

/** All synchronizers on a {@link MapConnection}. */
export function mapEngine(options: MapEngineOptions): MapSynchronizers {
  checkEngineOptions(options, ['connection', 'commandTimeoutMs', 'clock', 'random'], 'map');
  const { connection, commandTimeoutMs = 3000, clock = systemClock, random = systemRandom } = options;
  const context = openContext({ engine: 'map', options, clock, random });
  const { client, session } = context;
  const documents = new MapDocuments(connection, client.label);
  const cells = new ReliableCells(client, session, new OptimisticCells(client, documents), {
    commandTimeoutMs,
  });
  const protocols = remoteProtocols(cells);
  return {
    ...assemble(context, { traits, protocols, whenClosed: () => connection.close() }),
    inspector: mapInspector({ client, protocols, connection, documents }),
  };
}
