import type { EngineOptions } from '../api/engine-options.ts';
import type { Clock, Random } from '../clock.ts';
import type { SessionStore } from './cells.ts';

/** What an engine decides before it opens a client. */
export interface EngineSetup {
  /** The name of the engine: the label of its clients if the user gives none, and the subject of its errors. */
  readonly engine: string;
  /** What the user set. */
  readonly options: EngineOptions;
  readonly clock: Clock;
  readonly random: Random;
  /**
   * Where clients show that they live. Without it a hold ends by its lease alone, and the death of a client is never
   * proven.
   */
  readonly sessions?: {
    readonly store: SessionStore;
    /** How long a session lasts without a beat; Infinity for a store that ends with its clients. */
    readonly ttlMs: number;
  };
}
