import type { MinHold } from '../../../spi/verbs/holding.ts';
import { ceilMs } from '../requests/script.ts';

/** What the scripts count from and for: the fence of a grant is its time in microseconds, by the clock of the server. */
export function minHoldArguments({ ms, fence }: MinHold) {
  return { grantedMs: Math.ceil(fence / 1000), minHoldMs: ceilMs(ms) };
}
