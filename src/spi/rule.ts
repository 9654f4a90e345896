/**
 * The owner that asks: `«128-bit client id»:«n»`. Each acquisition that reaches the store has a fresh one, never used twice: a
 * late copy of an earlier acquisition is then never mistaken for the current one (soundness 1).
 */
export type OwnerId = string;

/** Which owners the engine knows to be gone. An engine that knows nothing answers `false` and a long time. */
export interface DeadOwners {
  /** True only with proof: its session has ended and can never come back. */
  has(owner: OwnerId): boolean;
  /** How long, at the earliest, until `has(owner)` could turn true without a further step. */
  endsInMs(owner: OwnerId): number;
}

/** What a rule knows besides its state. All of it comes from the engine, none from the client's clock. */
export interface Facts {
  /** The engine's time in milliseconds since the epoch; fractions allowed. */
  readonly now: number;
  readonly dead: DeadOwners;
  /** The highest fence of all records that were dropped: no grant gets a fence at or below it. */
  readonly fenceFloor: number;
  /** How long the engine has kept its data without a gap. A quorum does not count a member that is too young. */
  readonly upMs: number;
}

/** The waiters that a step makes room for. A step that makes no room wakes none: waking after a `busy` answer livelocks. */
export type Wake = 'none' | 'anyone' | readonly OwnerId[];

/** What a rule decides: the new state (plain JSON; the same reference if nothing changed), the answer, which watchers to wake. */
export interface Step<S, A> {
  readonly state: S | undefined;
  readonly answer: A;
  readonly wake: Wake;
}

/** One verb of a rule: pure, total on every reachable state. */
export type Decide<S, Ask, Answer> = (state: S | undefined, ask: Ask, facts: Facts) => Step<S, Answer>;

/** The verbs of a synchronizer, each with its ask and its answer. Both are plain JSON. */
export type Verbs = { readonly [verb: string]: { readonly ask: object; readonly answer: unknown } };

/**
 * A synchronizer, defined once. An engine either runs it inside its own atomic section or obeys it in a native form
 * and is tested against it.
 */
export interface Rule<S, V extends Verbs, L> {
  readonly verbs: { readonly [K in keyof V]: Decide<S, V[K]['ask'], V[K]['answer']> };
  /** A view for queries. It changes nothing, so engines answer it without locking. */
  readonly look: (state: S | undefined, facts: Facts) => L;
  /**
   * The highest fence given out, once nothing else in the state matters: then the record may go, as long as the
   * engine never gives out that fence again. Undefined while an owner holds, waits or counts on the record.
   */
  readonly spent: (state: S, facts: Facts) => number | undefined;
}
