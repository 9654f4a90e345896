import type { Holdable } from '../../core/acquire/holdable.ts';
import type { Gate } from '../../core/queues/gate.ts';
import type { HoldStack } from '../../core/reentry/hold-stack.ts';
import type { ExplicitOwner } from '../../core/reentry/owner.ts';
import type { Place } from '../../core/reentry/scope.ts';
import type { MaybeAsync } from '../../spi/maybe-async.ts';
import type { Lock } from '../../spi/synchronizers.ts';
import type { HolderView } from '../../spi/verbs/holding.ts';
import type { Forced } from '../../spi/verbs/lock.ts';

/** What differs between the locks: where they stand, how they let owners in, what a query sees. */
export interface LockParts {
  readonly kind: Lock['kind'];
  readonly place: Place;
  /** The places that keep another owner out of this one while they are held. */
  readonly rivals: readonly Place[];
  readonly holdable: Holdable;
  /** Asked for with each entry, because a client gives up a gate that is idle. */
  gate(): Gate;
  /** The holder, and how many wait. */
  look(): MaybeAsync<{ readonly holder: HolderView | undefined; readonly waiters: number }>;
  force(fence: number | undefined): MaybeAsync<Forced>;
  /** Looks at what the owner already has elsewhere: throws, or answers the hold stack under which this is taken. */
  relation?(owner: ExplicitOwner | undefined): HoldStack | undefined;
}
