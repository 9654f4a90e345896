import type { MaybeAsync } from '../../../spi/maybe-async.ts';
import type { Reply } from '../driver.ts';
import type { ScriptCall } from './script.ts';

/** What a call is about: for errors, and for the way to the right server of a cluster. */
export interface About {
  readonly kind: string;
  readonly name: string;
  readonly key: string;
}

export interface ScriptRequest extends About, ScriptCall {}

/**
 * What a copy may do when it comes late: nothing at all, nothing once its limit is past, or what it was sent for, whenever
 * that is.
 */
export type Effect = 'reads' | 'limited' | 'lasting';

/** What came of a call: how many copies of it may have been sent, and how many replicas have confirmed it. */
export interface Answered {
  readonly reply: readonly Reply[];
  readonly copies: number;
  readonly confirmed: number;
}

/** A change that the server refuses after `notAfterMs` (soundness 3). */
export interface LimitedCall extends About {
  /**
   * Called before it is sent, and before each time it is sent under another limit. Undefined if it is no longer wanted: its
   * caller has gone while the way was being made ready, and would not take back what it brings.
   */
  readonly prepare: (notAfterMs: number) => ScriptCall | undefined;
}

/** What is made of an answer. It travels with the call: a layer that passes it on needs no promise of its own. */
export type Reading<T> = (answered: Answered) => MaybeAsync<T>;
