import type { Eventually } from '../spi/eventually.ts';
import type { OwnerId } from '../spi/rule.ts';
import type { FencedLock, Hold } from '../spi/synchronizers.ts';
import type { Raised } from '../spi/verbs/lock.ts';
import { GrantHold } from './hold.ts';
import { LockObject, type LockParts } from './lock.ts';

export interface FencedLockParts extends LockParts {
  readonly kind: FencedLock['kind'];
  readonly raise: (owner: OwnerId, fence: number) => Eventually<Raised>;
}

/** A lock whose fence can be raised by its holder, so that a quorum can prove that its own fence increases. */
export class FencedLockObject extends LockObject implements FencedLock {
  override readonly kind: FencedLock['kind'];
  readonly #raise: FencedLockParts['raise'];

  constructor(parts: FencedLockParts) {
    super(parts);
    this.kind = parts.kind;
    this.#raise = parts.raise;
  }

  /** From now on the store gives out no fence at or below this one. Undefined if the hold is no longer good. */
  async raiseFence(hold: Hold, fence: bigint): Promise<{ readonly upMs: number } | undefined> {
    if (!(hold instanceof GrantHold)) return undefined;
    const raised = await this.#raise(hold.grant.owner, Number(fence));
    return raised.kind === 'raised' ? raised : undefined;
  }
}
