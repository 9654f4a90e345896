import { assemble, checkEngineOptions, type EngineOptions } from '../../kernels/assemble.ts';
import { cellProtocols } from '../../kernels/cell-protocols.ts';
import { systemClock, systemRandom } from '../../kernels/surroundings.ts';
import type { Clock, Random } from '../../spi/clock.ts';
import type { Synchronizers } from '../../spi/synchronizers.ts';
import type { Traits } from '../../spi/traits.ts';
import { MemoryStore } from './memory-store.ts';

export { MemoryStore } from './memory-store.ts';

export interface MemoryOptions extends EngineOptions {
  /** Where to meet other `memory()` engines of this process. Without it the engine has a store of its own. */
  readonly store?: MemoryStore;
  /** Another time and chance than the machine's, for tests of what you build on this. */
  readonly clock?: Clock;
  readonly random?: Random;
}

const traits = {
  wakeUp: 'push',
  clock: 'process',
  crash: 'session',
  waiters: 'fleet',
  permitOrder: 'fleet',
  semaphorePermits: 'leased',
  leaseGranularityMs: 0,
  scope: 'process',
} as const satisfies Traits;

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
export function memory(options: MemoryOptions = {}): Synchronizers & { readonly traits: typeof traits } {
  checkEngineOptions(options, ['store', 'clock', 'random'], 'memory');
  const clock = options.clock ?? systemClock;
  const store = options.store ?? new MemoryStore(clock);
  const engine = assemble({
    engine: 'memory',
    options,
    traits,
    clock,
    random: options.random ?? systemRandom,
    sessions: store,
    sessionMs: Infinity,
    protocols: (_client, session) => {
      void session.open();
      return cellProtocols(
        (kind, rule) => store.cells(kind, rule),
        store.keepsTimeOf(clock) ? { decidedAt: store.decidedAt } : {},
      );
    },
  });
  return { ...engine, traits };
}
