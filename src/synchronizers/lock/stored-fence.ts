import type { Holdable } from '../../core/acquire/holdable.ts';

/** The fence under which the store knows a hold: of a grant that is handed from hold to hold, it may know only the last one. */
export function storedFence({ client, kind, name }: Holdable, fence: number | undefined): number | undefined {
  if (fence === undefined) return undefined;
  const own = client.keeper.grantOf(kind, name, fence);
  return own === undefined ? fence : own.answer.fence + own.answer.fences - 1;
}
