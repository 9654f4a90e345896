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

/** What came of a call: how many copies of it may have been sent, and how many replicas have confirmed it. */
export interface Answered {
  readonly reply: readonly Reply[];
  readonly copies: number;
  readonly confirmed: number;
}

/** A change that the server refuses after `notAfterMs` (soundness 3). */
export interface TimedCall extends About {
  /**
   * Called before it is sent, and before each time it is sent under another limit. Undefined if it is no longer wanted:
   * whoever asked for it has gone while the way was being made ready, and nobody would take back what it brings.
   */
  readonly prepare: (notAfterMs: number) => ScriptCall | undefined;
}

/** What is made of an answer. It travels with the call: whoever passes it on needs no promise of its own. */
export type Reading<T> = (answered: Answered) => MaybeAsync<T>;
