import type { MaybeAsync } from '../maybe-async.ts';
import type { Unwatch } from './protocol.ts';
import type { Decide, Facts, OwnerId } from '../rule.ts';

/** Cells of one kind in a store that runs the rules itself, each changed by one atomic step at a time. */
export interface CellStore<S> {
  /** Runs `decide` on the current state inside the store's atomic section and keeps the state it returns. */
  update<Ask, Answer>(key: string, decide: Decide<S, Ask, Answer>, ask: Ask): MaybeAsync<Answer>;
  /** Reads the current state; never locks. */
  read<L>(key: string, look: (state: S | undefined, facts: Facts) => L): MaybeAsync<L>;
  /** See {@link Watchable}: may call without cause, misses nothing once answered. */
  watch(key: string, owner: OwnerId, heard: () => void): MaybeAsync<Unwatch>;
}

/** How a store learns that a client died, so that a dead head of a queue does not block it (soundness 18). */
export interface SessionStore {
  /** Opens or renews the session. Answers `ended` once it has lapsed: an ended session is never revived. */
  beat(client: string, ttlMs: number): MaybeAsync<'alive' | 'ended'>;
  /** Ends the session at once; everything that names it in a cell is free from then on. */
  end(client: string): MaybeAsync<void>;
}
