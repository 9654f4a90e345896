import type { Place } from './place.ts';
import { places } from './places.ts';

/** Opens the places in which trials run. */
export interface Grounds {
  placeOf(engine: string): Promise<Place>;
  /** The trial is over. */
  leave(place: Place): Promise<void>;
  close(): Promise<void>;
}

/** A place for each trial: what one trial leaves behind in a server is no part of the next. */
export class FreshGrounds implements Grounds {
  placeOf(engine: string): Promise<Place> {
    return start(engine);
  }

  leave(place: Place): Promise<void> {
    return place.stop();
  }

  async close(): Promise<void> {}
}

/** One place for each engine, because a database takes longer to start than a quick trial takes. */
export class StandingGrounds implements Grounds {
  readonly #places = new Map<string, Promise<Place>>();

  placeOf(engine: string): Promise<Place> {
    const place = this.#places.get(engine) ?? start(engine);
    this.#places.set(engine, place);
    return place;
  }

  async leave(): Promise<void> {}

  async close(): Promise<void> {
    for (const place of this.#places.values()) await (await place).stop();
  }
}

function start(engine: string): Promise<Place> {
  const starting = places[engine];
  if (starting === undefined) throw new RangeError(`no ground is known for ${engine}`);
  return starting();
}
