import { copyOf } from '../../core/json.ts';
import { withJsonForm } from '../../core/json-form.ts';
import type { Leader } from '../../spi/synchronizers.ts';
import type { ElectionLook } from '../../spi/verbs/election.ts';

/** The leader that a look has shown, as users see it. */
export function leaderOf<V>({ value, owner, fence }: NonNullable<ElectionLook['leader']>): Leader<V> {
  return withJsonForm({ value: copyOf(value) as V | null, owner, fence: BigInt(fence) });
}
