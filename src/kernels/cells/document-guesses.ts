import type { EngineTimes } from '../requests/engine-times.ts';
import type { Once } from './at-most-once.ts';
import { isInterest } from './cell-turns.ts';
import { DocumentCache, type Sight } from './document-cache.ts';
import type { Documents } from '../../spi/engine/documents.ts';
import type { Basis } from './rule-decisions.ts';
import type { CellCall } from './wire.ts';

/** How long a decision on a guess stays good: what the rule saw as now may be this much behind the store's clock (soundness 5). */
const GOOD_FOR_MS = 250;
/** After a guess that came too late this many calls look first: on a busy machine the next guess would be late as well. */
const LOOKS_AFTER_LATE_GUESS = 32;
/**
 * A lease that is granted on a guess begins at the time that was guessed, and so ends as much early. The law would permit a
 * quarter of a second, which is half of a lease of half a second: it may be as much as the holder leaves off itself.
 */
const EARLY_MS = 20;
const EARLY_PART = 0.01;
/** Verbs of an owner that is in: the document is there, and a guess that it is not costs a statement for nothing. */
const OF_HOLDERS: ReadonlySet<string> = new Set(['release', 'renew']);

const NOTHING: Sight = { version: undefined, state: undefined };

/**
 * Decides without a look where the store lets it: on the last sight of a document, or on its absence, at a time that the
 * store's clock has certainly reached (soundness 5). A wrong guess costs nothing but itself, because a write that finds
 * another version answers with what is there.
 */
export class DocumentGuesses {
  readonly #documents: Documents;
  readonly #times: EngineTimes;
  readonly #cache = new DocumentCache();
  #looksFirst = 0;

  constructor(documents: Documents, times: EngineTimes) {
    this.#documents = documents;
    this.#times = times;
    documents.news?.((kind, name, version, document, at) => {
      const state = parsed(document);
      if (state !== undefined) this.#cache.hear(kind, name, { version, state, told: document }, at);
    });
  }

  /** `at`: when it was so, by the store's clock. */
  noteSight(kind: string, name: string, { version, state }: Sight, at: number): void {
    this.#cache.set(kind, name, { version, state }, at);
  }

  /** Undefined if the document has to be read. */
  guess({ kind, name, verb }: CellCall, goodForMs: number): Basis | undefined {
    if (this.#documents.guesses !== true) return undefined;
    const sight = this.#cache.get(kind, name);
    if (sight === undefined && OF_HOLDERS.has(verb)) return undefined;
    if (this.#looksFirst > 0) {
      this.#looksFirst--;
      return undefined;
    }
    const time = this.#times.of(this.#documents.clockOf(kind, name));
    // Heard so long ago that the bound has fallen behind by more than is good, even if both clocks run alike.
    if (time.slackMs() / 2 >= goodForMs) return undefined;
    // Down to what a clock shows that counts in milliseconds: it would seem to be behind our fractions of one.
    const now = Math.floor(time.atLeast());
    const { version, state, told } = sight ?? NOTHING;
    return { now, version, state, told, guessed: true };
  }

  /**
   * Learns for all calls: where each call found out for itself, a machine that was too busy to answer in a quarter of a
   * second was asked seven times for each change.
   */
  noteLate(): void {
    this.#looksFirst = LOOKS_AFTER_LATE_GUESS;
  }

  /**
   * Whether a waiter may hear on a guess that it has to wait on: the watch on this name has seen the very version that was
   * guessed and has heard of nothing since. Without this each of 200 waiters looked for itself every ten seconds, beside
   * the one look for all of them.
   */
  isWatched({ kind, name, verb, ask }: CellCall, found: Basis): boolean {
    // Messages are not believed: what only a message has told of is looked at.
    if (found.version === undefined || found.told !== undefined || !isInterest(verb)) return false;
    return 'wait' in ask && ask.wait === true && this.#documents.seen?.(kind, name) === found.version;
  }

  /** Drops everything: another server may answer next, with another past (soundness 7). */
  forget(): void {
    this.#cache.clear();
  }
}

/** How long a decision on a guess stays good for this ask. */
export function guessIsGoodForMs(ask: object): number {
  if (!('leaseMs' in ask) || typeof ask.leaseMs !== 'number') return GOOD_FOR_MS;
  return Math.min(GOOD_FOR_MS, EARLY_MS + EARLY_PART * ask.leaseMs);
}

/**
 * The outcome of a decision that was made for a time this much before the one it was carried out at. A holder that counts
 * the time that is left from before the call was sent would believe in it for that much too long (soundness 5).
 */
export function shortened(outcome: Once<unknown>, byMs: number): Once<unknown> {
  if (outcome.kind !== 'done' || typeof outcome.answer !== 'object' || outcome.answer === null)
    return outcome;
  const { answer } = outcome;
  if (!('remainingMs' in answer) || typeof answer.remainingMs !== 'number') return outcome;
  return { kind: 'done', answer: { ...answer, remainingMs: answer.remainingMs - Math.max(0, byMs) } };
}

/** Undefined if the text is not one of ours, or was cut off on the way. */
function parsed(document: string): unknown {
  try {
    return JSON.parse(document) as unknown;
  } catch {
    return undefined;
  }
}
