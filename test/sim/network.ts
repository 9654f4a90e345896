import type { Process } from './process.ts';
import type { World } from './world.ts';

/** How bad the network is. */
export interface Weather {
  readonly dropChance: number;
  readonly doubleChance: number;
  /** How often a message takes the long way: up to seconds instead of about a millisecond. */
  readonly slowChance: number;
  readonly slowestMs: number;
}

export const FAIR_WEATHER: Weather = { dropChance: 0, doubleChance: 0, slowChance: 0, slowestMs: 0 };

/** Carries messages between processes and the server: loses, doubles, delays and so reorders them. */
export class Network {
  weather: Weather;
  readonly #world: World;
  readonly #cut = new Set<Process>();

  constructor(world: World, weather: Weather) {
    this.#world = world;
    this.weather = weather;
  }

  cut(process: Process): void {
    this.#world.note(() => `${process.name} is cut off`);
    this.#cut.add(process);
  }

  heal(process: Process): void {
    if (this.#cut.delete(process)) this.#world.note(() => `${process.name} is connected again`);
  }

  /** Delivers zero, one or two times. Answers whether it was delivered at all. */
  carry(process: Process, deliver: () => void): boolean {
    const { dice } = this.#world;
    if (this.#cut.has(process) || dice.chance(this.weather.dropChance)) return false;
    this.#world.after(this.#delayMs(), deliver);
    if (dice.chance(this.weather.doubleChance)) this.#world.after(this.#delayMs(), deliver);
    return true;
  }

  #delayMs(): number {
    const { dice } = this.#world;
    if (!dice.chance(this.weather.slowChance)) return dice.between(0.2, 2);
    return dice.between(2, this.weather.slowestMs);
  }
}
