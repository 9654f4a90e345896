import type { Random } from '../../src/spi/clock.ts';

/** Repeatable chance, another for each client: in lockstep they would meet without end. It tells who the client is now. */
export class SeededRandom implements Random {
  /** The id of the client's session; it takes a new one when that has ended. */
  latest: string;
  readonly #name: string;
  #ids = 0;
  #state: number;

  constructor(name: string) {
    this.#name = name;
    this.latest = name;
    this.#state = Array.from(name).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 2 ** 31, 7);
  }

  id(): string {
    return (this.latest = `${this.#name}-${++this.#ids}`);
  }

  fraction(): number {
    return (this.#state = (this.#state * 48_271) % (2 ** 31 - 1)) / (2 ** 31 - 1);
  }
}
