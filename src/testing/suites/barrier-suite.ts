import { badCounts } from '../cases/arguments/bad-arguments.ts';
import { nameCases } from '../cases/arguments/name-cases.ts';
import { brokenBarrierCases } from '../cases/barrier/broken-barrier-cases.ts';
import { cyclicCases } from '../cases/barrier/cyclic-cases.ts';
import { type BarrierClient, openBarrier } from '../cases/barrier/parties.ts';
import { outageCases } from '../cases/losses/outage-cases.ts';
import type { BadArgument } from '../harness/coded-error.ts';
import { suiteOf } from './suite.ts';

const BAD_PARTIES: readonly BadArgument[] = [
  { given: undefined, error: TypeError, names: /parties must be a number, not undefined/ },
  { given: {}, error: TypeError, names: /parties must be a number, not undefined/ },
  { given: 2, error: TypeError, names: /options must be an object, not 2/ },
  { given: { parties: 2, count: 2 }, error: TypeError, names: /no option "count"; known are parties/ },
  { given: { parties: 0 }, error: RangeError, names: /parties must be from 1/ },
  ...badCounts('parties').map((bad) => ({ ...bad, given: { parties: bad.given } })),
];

/** The cyclic barrier. */
export const barrierSuite = suiteOf<'barrier'>(
  'barrier',
  cyclicCases,
  brokenBarrierCases,
  outageCases(async (client: BarrierClient, name) => {
    const barrier = openBarrier(client, name, 10);
    await openBarrier(client, `${name}-alone`, 1).arrive();
    return [(timeoutMs) => barrier.arrive({ timeoutMs })];
  }),
  nameCases({
    make: (client: BarrierClient, name) => openBarrier(client, name, 1),
    use: async (barrier) => {
      await barrier.arrive();
    },
    badOptions: BAD_PARTIES,
    makeWith: (client, name, options) => client.barrier(name, options as { parties: number }),
  }),
);
