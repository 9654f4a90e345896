import type { MaybeAsync } from '../../spi/maybe-async.ts';
import type { OwnerId } from '../../spi/rule.ts';
import type { FencedLock, Hold } from '../../spi/synchronizers.ts';
import type { Raised } from '../../spi/verbs/lock.ts';
import { GrantHold } from '../hold.ts';
import { LockObject } from './lock.ts';
import type { LockParts } from './lock-parts.ts';

const TIMED_OPTIONS = ['timeoutMs', 'leaseMs', 'minHoldMs', 'signal', 'owner'];

export interface FencedLockParts extends LockParts {
  readonly kind: FencedLock['kind'];
}

/** Asks the store to give out no fence at or below this one any more. */
export type RaiseFence = (owner: OwnerId, fence: number) => MaybeAsync<Raised>;

/** A lock whose fence can be raised by its holder, so that a quorum can prove that its own fence increases. */
export class FencedLockObject extends LockObject implements FencedLock {
  override readonly kind: FencedLock['kind'];
  readonly #raise: RaiseFence;

  /**
   * `raise` is not one of the parts. It looks like one, but to add it is to copy them, and each copy is a shape of its
   * own to the engine that runs us: with many locks, nothing it has learnt of one helps it with the next.
   */
  constructor(parts: FencedLockParts, raise: RaiseFence) {
    super(parts);
    this.kind = parts.kind;
    this.#raise = raise;
  }

  /** Spring ends the lock of its registry by a script of its own, which knows no time for which it is to last. */
  protected override get options(): readonly string[] {
    return this.kind === 'springLock' ? super.options : TIMED_OPTIONS;
  }

  /** From now on the store gives out no fence at or below this one. Undefined if the hold is no longer good. */
  async raiseFence(hold: Hold, fence: bigint): Promise<{ readonly upMs: number } | undefined> {
    if (!(hold instanceof GrantHold)) return undefined;
    const raised = await this.#raise(hold.grant.owner, Number(fence));
    return raised.kind === 'raised' ? raised : undefined;
  }
}
