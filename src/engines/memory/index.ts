import { assemble } from '../../kernels/assemble.ts';
import { openContext } from '../../kernels/context.ts';
import { checkEngineOptions } from '../../kernels/engine-options.ts';
import { checkFactoryArgument } from '../../kernels/factory-argument.ts';
import { cellInspector } from '../../kernels/inspector/cell-inspector.ts';
import { cellProtocols } from '../../kernels/cells/cell-protocols.ts';
import { shown } from '../../core/arguments.ts';
import type { Client } from '../../core/client.ts';
import { argumentTypeError } from '../../spi/errors.ts';
import { systemClock, systemRandom } from '../../core/time/clock.ts';
import type { Protocols } from '../../spi/engine/protocols.ts';
import type { Clock, Random } from '../../spi/clock.ts';
import type { Inspector } from '../../spi/engine/inspector.ts';
import type { EngineOptions, Synchronizers } from '../../spi/synchronizers.ts';
import type { Traits } from '../../spi/engine/traits.ts';
import { MemoryStore } from './memory-store.ts';

export type * from '../../spi/engine/inspector.ts';
export { MemoryStore } from './memory-store.ts';

/** The options of `memory()`. */
export interface MemoryOptions extends EngineOptions {
  /** The store to share with other `memory()` engines of this process. By default the engine has a store of its own. */
  readonly store?: MemoryStore;
  /** Another clock and another source of randomness than the system's, for tests of programs that use the engine. */
  readonly clock?: Clock;
  /** Another source of randomness than the system's, for tests. */
  readonly random?: Random;
}

const traits = {
  wakeUp: 'push',
  clock: 'process',
  crash: 'session',
  waiters: 'fleet',
  permitOrder: 'fleet',
  keyspace: 'by-kind',
  leaseGranularityMs: 0,
  scope: 'process',
} as const satisfies Traits;

/** What `memory()` returns: all nine synchronizers, and an inspector. */
export type MemorySynchronizers = Synchronizers & {
  /** What users can count on in this engine. */
  readonly traits: typeof traits;
  /** Shows what is held and waited for, and can break a hold. */
  readonly inspector: Inspector;
};

/**
 * All synchronizers inside this process: for single-process programs, and for tests of programs that use another engine
 * in production.
 *
 * @example
 * ```ts
 * import { memory } from 'holdfast/memory';
 *
 * const locks = memory();
 * await locks.lock('report').run(async () => console.log('alone'));
 * await locks.close();
 * ```
 */
export function memory(options: MemoryOptions = {}): MemorySynchronizers {
  checkFactoryArgument(options, { engine: 'memory', option: 'store', what: 'a MemoryStore' });
  checkEngineOptions(options, ['store', 'clock', 'random'], 'memory');
  const clock = options.clock ?? systemClock;
  const store = options.store ?? new MemoryStore(clock);
  // By its shape: the other build of the package has a class of its own, and shares the stores of `connect`.
  if (typeof (store as Partial<MemoryStore>).keepsTimeOf !== 'function')
    throw argumentTypeError(
      `memory(): store must be a MemoryStore, not ${shown(store)}. Write memory({ store: new MemoryStore() }).`,
      { resource: 'memory()', engine: 'memory' },
    );
  const context = openContext({
    engine: 'memory',
    options,
    clock,
    random: options.random ?? systemRandom,
    sessions: { store, ttlMs: Infinity },
  });
  const protocols = cellProtocols(
    (kind, rule) => store.cells(kind, rule),
    store.keepsTimeOf(clock) ? { decidedAt: store.decidedAt } : {},
  );
  return {
    ...assemble(context, { traits, protocols, announcements: store.announcements }),
    inspector: inspectorOf(context.client, protocols, store),
  };
}

function inspectorOf(client: Client, protocols: Protocols, store: MemoryStore): Inspector {
  return cellInspector({
    client,
    protocols,
    cells: (prefix) => store.names(prefix),
    // All clients are in this process, and every waiter of theirs watches.
    watching: (kind, name) => ({ count: store.watching(kind, name), counts: 'fleet' }),
    changes: (told) => store.watchAll((kind, name) => told({ kind, name })),
  });
}
