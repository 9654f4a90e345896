import type { MaybeAsync } from '../../../spi/maybe-async.ts';
import type { Reply } from '../driver.ts';
import type { ScriptCall } from './script.ts';

/** The subject of a call: named in errors, and routed by its key in a cluster. */
export interface About {
  readonly kind: string;
  readonly name: string;
  readonly key: string;
}

export interface ScriptRequest extends About, ScriptCall {}

/**
 * What a late copy may still do: nothing ever (`reads`), nothing after its limit (`limited`), or its full effect at any time
 * (`lasting`).
 */
export type Effect = 'reads' | 'limited' | 'lasting';

/** The reply to a call, how many copies may have been sent, and how many replicas have confirmed it. */
export interface Answered {
  readonly reply: readonly Reply[];
  readonly copies: number;
  readonly confirmed: number;
}

/** A change that the server refuses after `notAfterMs` (soundness 3). */
export interface LimitedCall extends About {
  /**
   * Builds the script, before the first copy and again for each new limit. Returns undefined if the caller gave up while the
   * connection was being prepared: nothing would release what such a call acquires.
   */
  readonly prepare: (notAfterMs: number) => ScriptCall | undefined;
}

/** Converts an answer. It travels with the call, so that a layer that passes the call on creates no promise of its own. */
export type Reading<T> = (answered: Answered) => MaybeAsync<T>;
