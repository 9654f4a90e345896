import type { LeaseLostError } from '../../spi/errors.ts';
import type { Granted } from '../../spi/verbs/holding.ts';
import type { Grant } from '../grants/grant.ts';
import type { LossListener } from '../grants/loss.ts';
import { keepHolder } from '../grants/weak-holder.ts';
import type { Gate } from '../queues/gate.ts';
import type { Followed } from '../acquire/followed.ts';
import type { Scope } from './scope.ts';

/** One hold of a hold stack: the outermost, or one that re-entered. */
export interface StackedHold extends LossListener {
  /** Its own scope if it was taken for a `run`, else the scope that it was taken in; none for an explicit owner. */
  scope: Scope | undefined;
  /** With all holds of its owner. */
  readonly holdStack: HoldStack;
  /** Its own scope has closed. */
  noteScopeClosed(): void;
}

/** A branch of a scope that waits until the branches before it have ended. */
export interface Sibling {
  readonly from: Scope;
  readonly forRun: boolean;
  readonly wake: () => void;
}

/**
 * A grant in the hands of one local owner, with all its re-entrant holds. Re-entering costs no round trip, and only the
 * end of the last hold goes to the store.
 *
 * Counting holds is not enough: the two branches of `Promise.all([lock.run(a), lock.run(b)])` inside one scope would run
 * at the same time, both "holding" (soundness 14). Nor may only the innermost hold be re-entered: a hold that the scope
 * itself took by `acquire` is the innermost one, no scope of its own tells which code has it, and the next `run` or
 * `acquire` of that very code would wait for itself. So a hold belongs to a scope, and what is in the way of a branch is
 * an open scope of another branch, never a hold of its own scope.
 */
export class HoldStack<G extends Granted = Granted> implements LossListener {
  readonly grant: Grant<G>;
  /** The read side that was taken under this write: one hold in the store, however often it is taken here. */
  readUnderWrite: HoldStack | undefined;
  /** An acquisition of it that is under way. */
  readUnderWritePending: Followed | undefined;
  /** Called once, when the last hold has ended. */
  whenOver: (() => void) | undefined;
  /** In the order in which they entered. */
  readonly #levels: StackedHold[];
  #siblings: Sibling[] | undefined;
  #arriving: StackedHold | undefined;

  /**
   * Without `outermost` it is over from the start: the only hold was released before the stack was asked for, and the grant may
   * have been handed over, with its loss, to another owner.
   */
  constructor(grant: Grant<G>, outermost?: StackedHold) {
    this.grant = grant;
    this.#levels = [];
    if (outermost === undefined) return;
    this.#levels.push(outermost);
    grant.lossListener = this;
  }

  get over(): boolean {
    return this.#levels.length === 0;
  }

  get innermost(): StackedHold | undefined {
    return this.#levels.at(-1);
  }

  /** How many holds are open. */
  get depth(): number {
    return this.#levels.length;
  }

  /** Whether code in this scope has one of the holds: taken in it, around it, or by the explicit owner it runs as. */
  isHeldIn(scope: Scope): boolean {
    return this.#levels.some((level) => level.scope === undefined || level.scope.heir()?.isAround(scope));
  }

  /** Whether no other branch is inside: whatever is held belongs to this scope or to those around it. */
  isFreeFor(scope: Scope): boolean {
    return !this.#levels.some((level) => {
      const other = level.scope?.heir();
      // One that was there before and is not around it was entered by an explicit owner, on purpose.
      return other !== undefined && !other.isAround(scope) && other.isLaterThan(scope);
    });
  }

  /** A hold that was taken by `acquire`, and of which the code that asked for it has not heard yet. */
  get arriving(): StackedHold | undefined {
    return this.#arriving;
  }

  beginArrival(level: StackedHold): void {
    this.#arriving = level;
  }

  endArrival(level: StackedHold): void {
    if (this.#arriving === level) this.#arriving = undefined;
  }

  /** That of any of its holds, if none of them may be in use: they are forgotten together, or not at all. */
  get gateIfForgotten(): Gate | undefined {
    const gates = this.#levels.map((level) => level.gateIfForgotten);
    return gates.includes(undefined) ? undefined : gates[0];
  }

  enter(level: StackedHold): void {
    this.#levels.push(level);
    keepHolder(this.grant, this);
  }

  /** Wakes the sibling when its turn may have come, or when all is over. Returns a function that takes it out. */
  queue(sibling: Sibling): () => void {
    (this.#siblings ??= []).push(sibling);
    return () => {
      this.#siblings = this.#siblings?.filter((other) => other !== sibling);
    };
  }

  /** Ends one hold. True when it was the last and the grant is to be given up. */
  leave(level: StackedHold): boolean {
    const at = this.#levels.lastIndexOf(level);
    if (at !== -1) this.#levels.splice(at, 1);
    this.endArrival(level);
    this.wakeSiblings();
    if (!this.over) return false;
    this.whenOver?.();
    return true;
  }

  /** What the scope still holds belongs to the one around it from now on, whose other branches may have waited for it. */
  noteScopeClosed(level: StackedHold): void {
    // The release of its own hold follows, and wakes them.
    if (!this.#levels.includes(level)) this.wakeSiblings();
  }

  lose(error: LeaseLostError): void {
    for (const level of this.#levels) level.lose(error);
    for (const { wake } of this.#siblings ?? []) wake();
  }

  /**
   * The first sibling whose turn it is. If it comes for an `acquire`, no scope of its own will keep the others out: they
   * are woken as well, and refused. And all those whose own holds have ended: they are no longer siblings.
   */
  wakeSiblings(): void {
    if (this.#siblings === undefined || this.#siblings.length === 0) return;
    let isTaken = false;
    for (const { from, forRun, wake } of this.#siblings) {
      const isOrphan = !this.isHeldIn(from);
      if (!isOrphan && (isTaken || !this.isFreeFor(from))) continue;
      if (!isOrphan && forRun) isTaken = true;
      wake();
    }
  }
}
