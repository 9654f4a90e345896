import type { MemoryStore } from '../../src/engines/memory/index.ts';
import type { Synchronizers } from '../../src/index.ts';
import { assemble, type EngineOptions } from '../../src/kernels/assemble.ts';
import { cellProtocols } from '../../src/kernels/cells/cell-protocols.ts';
import type { Protocols } from '../../src/kernels/cells/protocols.ts';
import type { Clock } from '../../src/spi/clock.ts';

let clients = 0;

/** An engine on a store in this process, in which some protocols are others. */
export function storeEngine(
  clock: Clock,
  store: MemoryStore,
  options: EngineOptions,
  changed: (protocols: Protocols) => Partial<Protocols>,
): Synchronizers {
  const id = `client-${++clients}`;
  return assemble({
    engine: 'test',
    options,
    traits: {
      wakeUp: 'push',
      clock: 'process',
      crash: 'session',
      waiters: 'fleet',
      permitOrder: 'fleet',
      keyspace: 'by-kind',
      leaseGranularityMs: 0,
      scope: 'process',
    },
    clock,
    random: { id: () => id, fraction: () => 0.5 },
    sessions: store,
    sessionMs: Infinity,
    protocols: (_client, session) => {
      void session.open();
      const protocols = cellProtocols((kind, rule) => store.cells(kind, rule));
      return { ...protocols, ...changed(protocols) };
    },
  });
}
