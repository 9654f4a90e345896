import { memory, MemoryStore } from '../../src/engines/memory/index.ts';
import type { Factories, Synchronizers } from '../../src/index.ts';
import { ruleBook } from '../../src/kernels/cells/rule-book.ts';
import type { Clock } from '../../src/spi/clock.ts';
import type { Rule, Verbs } from '../../src/spi/rule.ts';
import type { HarnessClientOptions, Harness, HarnessTime } from '../../src/testing/index.ts';
import { MortalClock } from './mortal-clock.ts';
import { SeededRandom } from './seeded-random.ts';

/** Kinds whose records are what users put there: they stay until they are changed again. */
const DATA_KINDS = new Set(['latch', 'barrier', 'monitor']);

/** What all memory harnesses need: the time, and how a test is run in it. */
export interface Surroundings {
  readonly clock: Clock;
  readonly time: HarnessTime;
  readonly pump: (body: () => Promise<void>) => Promise<void>;
}

/** `memory()` exactly as users have it: clients and store share one clock, and a step is a function call. */
export class MemoryHarness implements Harness {
  readonly engine: string = 'memory';
  readonly factories: readonly (keyof Factories)[] = Object.keys(ruleBook) as (keyof Factories)[];
  readonly extras: readonly string[] = ['inspector'];
  readonly announces: true | undefined = true;
  readonly time: HarnessTime;
  protected readonly surroundings: Surroundings;
  protected stores: MemoryStore[] = [];
  protected clocks: MortalClock[] = [];
  #opened = 0;

  constructor(surroundings: Surroundings) {
    this.time = surroundings.time;
    this.surroundings = surroundings;
  }

  async run(body: () => Promise<void>): Promise<void> {
    this.clocks = [new MortalClock(this.surroundings.clock)];
    this.stores = [new MemoryStore(this.clocks[0])];
    await this.surroundings.pump(body);
  }

  async open(options: HarnessClientOptions = {}): Promise<Synchronizers> {
    return this.connect(options, this.stores[0]!);
  }

  async openYoung(options: HarnessClientOptions = {}): Promise<Synchronizers> {
    const store = new MemoryStore(this.clocks[0], { upMs: 0 });
    this.stores.push(store);
    return this.connect(options, store);
  }

  async leftovers(): Promise<readonly string[]> {
    return [
      ...this.clocks.flatMap((clock) => counted(clock.pending, 'timers')),
      ...this.stores.flatMap((store) => [
        ...counted(store.takeCensus().sessions, 'sessions'),
        ...Object.entries(ruleBook).flatMap(([kind, rule]) => {
          const { records, watchers } = store
            .cells(kind, rule as unknown as Rule<unknown, Verbs, unknown>)
            .takeCensus();
          return [
            ...(DATA_KINDS.has(kind) ? [] : counted(records, `records of kind ${kind}`)),
            ...counted(watchers, `watchers of kind ${kind}`),
          ];
        }),
      ]),
    ];
  }

  protected connect(options: HarnessClientOptions, store: MemoryStore): Synchronizers {
    return memory({ ...options, clock: this.clocks[0]!, random: this.nextRandom(), store });
  }

  protected nextRandom(): SeededRandom {
    return new SeededRandom(`client-${++this.#opened}`);
  }
}

function counted(number: number, what: string): readonly string[] {
  return number === 0 ? [] : [`${number} ${what}`];
}
