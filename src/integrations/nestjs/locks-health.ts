import type { EngineLike } from './engine-like.ts';

/** What Terminus expects of a health indicator. */
export type HealthResult = Record<string, { readonly status: 'up' | 'down'; readonly message?: string }>;

/** Asks the store of an engine object whether it answers. */
export class LocksHealth {
  readonly #locks: EngineLike;

  /** Nest makes it: inject it, or `healthToken(name)` for an engine object with a name. */
  constructor(locks: EngineLike) {
    this.#locks = locks;
  }

  /** Up if the store has answered, down with the reason if not. `key`: under what Terminus shows it. */
  async check(key = 'locks'): Promise<HealthResult> {
    try {
      await this.#locks.lock('holdfast:health').isLocked();
      return { [key]: { status: 'up' } };
    } catch (error) {
      return { [key]: { status: 'down', message: error instanceof Error ? error.message : String(error) } };
    }
  }
}
