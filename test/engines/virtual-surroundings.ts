import { VirtualClock } from '../fixtures/virtual-clock.ts';
import type { Surroundings } from './memory-harness.ts';

/** A virtual clock and all that hangs on it. What takes no time takes none at all, unless the harness says otherwise. */
export function virtualSurroundings({ exact } = { exact: true }): Surroundings {
  const clock = new VirtualClock();
  return {
    clock,
    time: {
      now: () => clock.now(),
      sleep: (ms) => clock.sleep(ms),
      stall: (ms) => clock.stall(ms),
      exact,
      unitMs: 1000,
    },
    pump: (body) => clock.run(body),
  };
}
