import type { HolderSighting, Sighting } from '../../../spi/engine/inspector.ts';

/** What earlier looks have shown of a hold. */
export interface Age {
  /** Since when it has been held, by our clock; at least since the first look. */
  readonly since: number;
  readonly isExact: boolean;
  /** The most that was ever left of its lease. */
  readonly longestMs: number;
}

/** Remembers when each hold was first seen, and how much was left of its lease then. */
export class Ages {
  #known = new Map<string, Age>();

  /** Takes in a whole look, and forgets the holds that are not in it. */
  see(all: readonly Sighting[], now: number): void {
    const next = new Map<string, Age>();
    for (const sighting of all)
      for (const holder of sighting.holders) {
        const key = keyOf(sighting, holder);
        const before = this.#known.get(key) ?? firstSeen(holder, now);
        next.set(key, { ...before, longestMs: Math.max(before.longestMs, holder.remainingMs) });
      }
    this.#known = next;
  }

  of(sighting: Sighting, holder: HolderSighting): Age | undefined {
    return this.#known.get(keyOf(sighting, holder));
  }
}

function firstSeen({ heldForMs, remainingMs }: HolderSighting, now: number): Age {
  return { since: now - (heldForMs ?? 0), isExact: heldForMs !== undefined, longestMs: remainingMs };
}

function keyOf({ kind, name }: Sighting, { owner, side, fence }: HolderSighting): string {
  return [kind, name, side, owner, String(fence)].join('\n');
}
