import type { AcquireTerms } from '../../core/acquire/acquire-terms.ts';
import type { Holdable } from '../../core/acquire/holdable.ts';
import { PendingAcquire } from '../../core/acquire/pending-acquire.ts';
import { isOutOfTime } from '../../core/acquire/wait-limit.ts';
import type { OwnerId } from '../../spi/rule.ts';
import type { Entered } from '../../spi/verbs/monitor.ts';

/**
 * The way of a section back into its monitor, from the queue of a condition. Like every acquisition it starts again as a new
 * owner when its session ended: its ticket went with the session, so the section comes back as after any wake-up without a
 * signal, and looks at the state again as Mesa demands.
 */
export class ConditionWait extends PendingAcquire<Entered> {
  readonly #became: (owner: OwnerId) => void;

  /** `became`: under which id the wait is under way, told at the start and with each new one. */
  constructor(
    holdable: Holdable<Entered>,
    terms: AcquireTerms,
    became: (owner: OwnerId) => void,
    owner?: OwnerId,
  ) {
    // Never a single attempt, also if the section was to enter at once or not at all: the store would refuse it a place in line.
    super(holdable, { ...terms, once: false, waited: true }, 1, undefined, owner);
    this.#became = became;
    became(this.owner);
  }

  override successor(): ConditionWait {
    return new ConditionWait(this.holdable, this.terms, this.#became);
  }

  /** To wait for a condition is no contention. */
  override tellContended(): void {}

  /** A wait whose time is over goes on as an entry with the same id; only a departure withdraws. */
  override withdraw(why: unknown) {
    return isOutOfTime(why) ? undefined : super.withdraw(why);
  }
}
