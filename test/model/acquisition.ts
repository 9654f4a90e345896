import type { Busy, Granted } from '../../src/spi/verbs/holding.ts';

/** A client's way to a hold in a program, and what must be true of it. */
export interface Acquisition<Ask> {
  readonly client: number;
  readonly ask: Ask;
  /** Released, withdrawn or refused for good: it must never be let in again. */
  left: boolean;
  /** Whether the client knows that it was let in. */
  granted: boolean;
  /** Whether its release was never answered. */
  unanswered: boolean;
  /** Whether what it had was given back, by whichever copy. */
  released: boolean;
  /** Whether it may be let in by a copy that the store will not remember for long: its client asks again soon. */
  doubtful: boolean;
}

export function begun<Ask>(client: number, ask: Ask): Acquisition<Ask> {
  return {
    client,
    ask,
    left: false,
    granted: false,
    unanswered: false,
    released: false,
    doubtful: false,
  };
}

/** What a copy on its way is a copy of. */
export interface Request<Ask> {
  readonly do: string;
  readonly by?: Acquisition<Ask>;
  readonly leaseMs?: number;
}

export type Answer = Granted | Busy | { readonly kind: string };

/** How a call of the protocol ended. */
export type Outcome = { readonly answer: unknown } | { readonly error: unknown };

export function kindOf(outcome: Outcome): unknown {
  return 'answer' in outcome ? (outcome.answer as { kind: unknown }).kind : outcome.error;
}
