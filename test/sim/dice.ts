import type { Random } from 'holdfast';

/** All chance of a simulated run: the same seed gives the same throws. (sfc32, seeded by splitmix.) */
export class Dice implements Random {
  #a: number;
  #b: number;
  #c: number;
  #count = 1;

  constructor(seed: number) {
    const mix = splitmix(seed);
    this.#a = mix();
    this.#b = mix();
    this.#c = mix();
    for (let warmUp = 0; warmUp < 12; warmUp++) this.fraction();
  }

  fraction(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#count) | 0;
    this.#count = (this.#count + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  }

  id(): string {
    let digits = '';
    for (let word = 0; word < 4; word++)
      digits += this.below(2 ** 32)
        .toString(16)
        .padStart(8, '0');
    return digits;
  }

  /** A whole number in [0, bound). */
  below(bound: number): number {
    return Math.floor(this.fraction() * bound);
  }

  between(least: number, most: number): number {
    return least + this.fraction() * (most - least);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.below(from.length)];
    if (picked === undefined) throw new RangeError('nothing to pick from');
    return picked;
  }

  /** Dice of their own for a part of the run, so that one part throwing more often does not change another. */
  fork(): Dice {
    return new Dice(this.below(2 ** 32));
  }
}

function splitmix(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return mixed ^ (mixed >>> 15);
  };
}
