import type { OwnerId } from '../rule.ts';
import type { Side } from './read-write-lock.ts';

/** One ticket of those who wait, as a query shows it. */
export interface PlaceView {
  readonly owner: OwnerId;
  /** How long the ticket is kept if its owner does not ask again. */
  readonly lapsesInMs: number;
  /** The client of the owner, where the owner does not name it. */
  readonly clientId?: string;
  /** Which side of a read-write lock. */
  readonly side?: Side;
  /** How many permits it asks for. */
  readonly permits?: number;
}

/** The tickets of those who wait, where the record lists them. */
export interface LineView {
  /** `turns`: the first is served first. `any`: the first that asks once there is room. */
  readonly order: 'turns' | 'any';
  readonly places: readonly PlaceView[];
}
