import { nameCases } from '../cases/arguments/name-cases.ts';
import { latchCountingCases, openLatch } from '../cases/latch/latch-counting-cases.ts';
import { latchWaitingCases } from '../cases/latch/latch-waiting-cases.ts';
import { outageCases } from '../cases/losses/outage-cases.ts';
import { suiteOf } from './suite.ts';

/** The latch. */
export const latchSuite = suiteOf<'latch'>(
  'latch',
  latchCountingCases,
  latchWaitingCases,
  outageCases(async (client, name) => {
    const latch = openLatch(client, name);
    await latch.trySetCount(1);
    return [(timeoutMs) => latch.await({ timeoutMs })];
  }),
  nameCases({
    make: openLatch,
    use: async (latch) => {
      await latch.trySetCount(1);
      await latch.countDown();
    },
  }),
);
