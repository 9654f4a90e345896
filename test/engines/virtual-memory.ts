import { VirtualClock } from '../fixtures/virtual-clock.ts';
import { MemoryHarness, openMemory } from './memory-harness.ts';

const clock = new VirtualClock();

/** `memory()` on a virtual clock: every measurement is exact. */
export const virtualMemory = new MemoryHarness({
  engine: 'memory',
  clock,
  time: {
    now: () => clock.now(),
    sleep: (ms) => clock.sleep(ms),
    stall: (ms) => clock.stall(ms),
    exact: true,
    unitMs: 1000,
  },
  pump: (body) => clock.run(body),
  open: openMemory,
  carry: () => (step) => step(),
});
