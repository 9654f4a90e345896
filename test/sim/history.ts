import type { World } from './world.ts';

/** One stretch of work under a hold. */
export interface Section {
  readonly id: number;
  readonly kind: string;
  readonly name: string;
  readonly owner: string;
  readonly fence: bigint;
  /** Exclusive holds are ordered by their fences; shared ones are not (soundness 10). */
  readonly exclusive: boolean;
}

/** What was seen, and what must not have been. */
export class History {
  readonly #world: World;
  readonly problems: string[] = [];
  #sections = 0;
  /** How often each thing happened, so that a run which exercised nothing shows. */
  readonly counts = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  section(section: Omit<Section, 'id'>): Section {
    const known = { ...section, id: this.#sections++ };
    this.count('sections');
    this.#world.note(
      () => `section ${known.id} of ${known.kind} ${known.name} by ${known.owner} fence ${known.fence}`,
    );
    return known;
  }

  problem(what: string): void {
    this.#world.note(() => `PROBLEM ${what}`);
    this.problems.push(`at ${this.#world.now.toFixed(1)} ms: ${what}`);
  }
}
