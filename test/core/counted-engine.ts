import { MemoryStore } from '../../src/engines/memory/index.ts';
import type { Synchronizers } from '../../src/index.ts';
import type { EngineOptions } from '../../src/spi/synchronizers.ts';
import type { Protocols } from '../../src/spi/engine/protocols.ts';
import type { Clock } from '../../src/spi/clock.ts';
import type { Renewal } from '../../src/spi/engine/protocol.ts';
import type { RenewAsk } from '../../src/spi/verbs/holding.ts';
import { storeEngine } from './store-engine.ts';

/** An engine on a store in this process that counts what its locks ask of it, and can be told to fail. */
export interface CountedEngine extends Synchronizers {
  readonly asked: { acquire: number; release: number };
  /** The names of each batch of renewals, in the order of sending. */
  readonly batches: string[][];
  /** What renewals end with instead of an answer, while it is set. */
  failing: Error | undefined;
}

export function countedEngine(
  clock: Clock,
  options: EngineOptions = {},
  store: MemoryStore = new MemoryStore(clock),
): CountedEngine {
  const asked = { acquire: 0, release: 0 };
  const batches: string[][] = [];
  const renewMany = (
    renewals: readonly Renewal<RenewAsk>[],
    lock: Protocols['lock'],
  ): ReturnType<Protocols['lock']['renewMany']> => {
    batches.push(renewals.map(({ name }) => name).toSorted());
    if (engine.failing !== undefined) throw engine.failing;
    return lock.renewMany(renewals);
  };
  const made = storeEngine(clock, store, options, ({ lock }) => ({
    lock: {
      ...lock,
      acquire: (name, ask) => {
        asked.acquire++;
        return lock.acquire(name, ask);
      },
      release: (name, ask) => {
        asked.release++;
        return lock.release(name, ask);
      },
      renewMany: (renewals) => renewMany(renewals, lock),
    },
  }));
  const engine: CountedEngine = { ...made, asked, batches, failing: undefined };
  return engine;
}
