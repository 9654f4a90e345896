import type { LeaseLostError } from '../spi/errors.ts';
import type { Granted } from '../spi/verbs/holding.ts';
import type { Bearer, Grant } from './grant.ts';

/** One hold of a tenure: the outermost, or one that re-entered. */
export interface Level extends Bearer {
  /** The hold it re-entered from. */
  outer: Level | undefined;
}

/** A sibling that waits to re-enter from a hold which is not the innermost at the moment. */
interface Sibling {
  readonly from: Level;
  readonly admit: () => void;
}

/**
 * A grant in the hands of one local owner, with all its re-entrant holds. Re-entering costs no round trip, and only the
 * end of the last hold goes to the store.
 *
 * Re-entry is allowed only from the innermost open hold. Counting alone would let the two branches of
 * `Promise.all([lock.run(a), lock.run(b)])` inside one scope run at the same time, both "holding" (soundness 14).
 */
export class Tenure<G extends Granted = Granted> implements Bearer {
  readonly grant: Grant<G>;
  /** The read side that was taken under this write: one hold in the store, however often it is taken here. */
  companion: Tenure | undefined;
  /** An acquisition of it that is under way. */
  companionComing: Promise<unknown> | undefined;
  /** Called once, when the last hold has ended. */
  whenOver: (() => void) | undefined;
  #innermost: Level | undefined;
  #siblings: Sibling[] | undefined;

  constructor(grant: Grant<G>, outermost: Level) {
    this.grant = grant;
    this.#innermost = outermost;
    grant.bearer = this;
  }

  get over(): boolean {
    return this.#innermost === undefined;
  }

  get innermost(): Level | undefined {
    return this.#innermost;
  }

  /** How many holds are open. */
  get depth(): number {
    let depth = 0;
    for (let level = this.#innermost; level !== undefined; level = level.outer) depth++;
    return depth;
  }

  isInnermost(level: Level): boolean {
    return this.#innermost === level;
  }

  has(level: Level): boolean {
    for (let one = this.#innermost; one !== undefined; one = one.outer) if (one === level) return true;
    return false;
  }

  enter(level: Level): void {
    level.outer = this.#innermost;
    this.#innermost = level;
  }

  /** Calls `admit` once `from` is the innermost hold, or has ended. Returns a function that gives up waiting. */
  queue(from: Level, admit: () => void): () => void {
    const sibling = { from, admit };
    (this.#siblings ??= []).push(sibling);
    return () => {
      this.#siblings = this.#siblings?.filter((other) => other !== sibling);
    };
  }

  /** Ends one hold. True when it was the last and the grant is to be given up. */
  leave(level: Level): boolean {
    if (this.#innermost === level) {
      this.#innermost = level.outer;
    } else {
      let inner = this.#innermost;
      while (inner !== undefined && inner.outer !== level) inner = inner.outer;
      if (inner !== undefined) inner.outer = level.outer;
    }
    this.#admitSiblings(level);
    if (!this.over) return false;
    this.whenOver?.();
    return true;
  }

  lose(error: LeaseLostError): void {
    for (let level = this.#innermost; level !== undefined; level = level.outer) level.lose(error);
    const siblings = this.#siblings ?? [];
    this.#siblings = undefined;
    for (const sibling of siblings) sibling.admit();
  }

  /** The first sibling whose turn it is, and all those whose own hold has just ended: they are no longer siblings. */
  #admitSiblings(ended: Level): void {
    if (this.#siblings === undefined || this.#siblings.length === 0) return;
    const orphans = this.#siblings.filter((sibling) => sibling.from === ended);
    const next = this.#siblings.find((sibling) => sibling.from === this.#innermost);
    const admitted = next === undefined ? orphans : [next, ...orphans];
    this.#siblings = this.#siblings.filter((sibling) => !admitted.includes(sibling));
    for (const sibling of admitted) sibling.admit();
  }
}
