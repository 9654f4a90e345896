import type { MemoryStore } from '../../src/engines/memory/index.ts';
import type { EngineOptions, Synchronizers } from '../../src/index.ts';
import { assemble } from '../../src/kernels/assemble.ts';
import { openContext } from '../../src/kernels/context.ts';
import { cellProtocols } from '../../src/kernels/cells/cell-protocols.ts';
import type { Protocols } from '../../src/spi/engine/protocols.ts';
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
  const context = openContext({
    engine: 'test',
    options,
    clock,
    random: { id: () => id, fraction: () => 0.5 },
    sessions: { store, ttlMs: Infinity },
  });
  const protocols = cellProtocols((kind, rule) => store.cells(kind, rule));
  return assemble(context, {
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
    protocols: { ...protocols, ...changed(protocols) },
  });
}
