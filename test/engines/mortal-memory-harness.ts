import { memory, type MemoryStore } from '../../src/engines/memory/index.ts';
import type { Synchronizers } from '../../src/index.ts';
import type { HarnessClientOptions } from '../../src/testing/index.ts';
import { MemoryHarness } from './memory-harness.ts';
import { MemoryLink } from './memory-link.ts';
import { MortalClock } from './mortal-clock.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Where one client lives: all that a kill takes away from it. */
export interface Life {
  readonly random: SeededRandom;
  readonly clock: MortalClock;
  readonly link: MemoryLink;
}

/** Several clients on one store, each of which can be killed: it has a clock and a link to the store of its own. */
export class MortalMemoryHarness extends MemoryHarness {
  /** Its engines are assembled here, without a place for announcements. */
  override readonly announces = undefined;
  readonly #lives = new WeakMap<Synchronizers, Life & { readonly store: MemoryStore }>();

  async crash(client: Synchronizers): Promise<void> {
    const life = this.#lives.get(client);
    if (life === undefined) throw new Error('This client was not opened here.');
    life.clock.stop();
    life.link.cut();
    life.store.end(life.random.latest);
  }

  protected override connect(options: HarnessClientOptions, store: MemoryStore): Synchronizers {
    const clock = new MortalClock(this.surroundings.clock);
    this.clocks.push(clock);
    const life: Life = { random: this.nextRandom(), clock, link: new MemoryLink(store, clock) };
    const client = this.give(options, life);
    this.#lives.set(client, { ...life, store });
    return client;
  }

  /** Gives a client its life. */
  protected give(options: HarnessClientOptions, { clock, random, link }: Life): Synchronizers {
    return memory({ ...options, clock, random, store: link });
  }
}
