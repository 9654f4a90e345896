import type { Fleet } from '../fleet.ts';
import type { Surroundings, Work } from '../worker.ts';

const PARTIES = 3;

/** In each generation every place is given to one party, and no client passes before all have come. */
export class BarrierLedger {
  readonly #passed = new Map<number, Set<number>>();
  readonly #arrived: number[] = [];

  readonly work: Work = async (at: Surroundings) => {
    const barrier = at.engine.barrier('a', { parties: PARTIES });
    if (await barrier.isBroken()) await barrier.reset();
    this.#arrived.push(at.process.world.now);
    const { generation, index } = await barrier.arrive({ timeoutMs: Math.floor(at.dice.between(500, 6000)) });
    at.history.count('passed the barrier');
    const places = this.#passed.get(generation) ?? new Set<number>();
    if (places.has(index) || index < 0 || index >= PARTIES) {
      at.history.problem(`place ${index} of generation ${generation} was given twice`);
    }
    this.#passed.set(generation, places.add(index));
  };

  check(fleet: Fleet): void {
    const passed = [...this.#passed.values()].reduce((sum, places) => sum + places.size, 0);
    if (passed > this.#arrived.length)
      fleet.history.problem(`${passed} passed and ${this.#arrived.length} arrived`);
  }
}
