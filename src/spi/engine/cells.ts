import type { MaybeAsync } from '../maybe-async.ts';
import type { Unwatch } from './protocol.ts';
import type { Decide, Facts, OwnerId } from '../rule.ts';

/** Named documents of one kind, each changed atomically: all that an engine must offer to run rules. */
export interface CellStore<S> {
  /** Runs `decide` on the current state inside the engine's atomic section and keeps what it returns. */
  update<Ask, Answer>(key: string, decide: Decide<S, Ask, Answer>, ask: Ask): MaybeAsync<Answer>;
  /** Reads the current state; never locks. */
  read<L>(key: string, look: (state: S | undefined, facts: Facts) => L): MaybeAsync<L>;
  /** See {@link Watchable}: may call without cause, misses nothing once answered. */
  watch(key: string, owner: OwnerId, heard: () => void): MaybeAsync<Unwatch>;
}

/** How an engine learns that a client is gone, so that a dead head of a queue cannot block it (soundness 18). */
export interface SessionStore {
  /** Opens or renews the session. Answers `ended` once it has lapsed: an ended session is never revived. */
  beat(client: string, ttlMs: number): MaybeAsync<'alive' | 'ended'>;
  /** Ends it at once; whatever names it in a cell is free from then on. */
  end(client: string): MaybeAsync<void>;
}
