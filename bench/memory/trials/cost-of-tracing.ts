import type * as Engine from 'holdfast/memory';
import { costOfTracing } from '../../cost-of-tracing.ts';
import { holdfastLocker } from '../../holdfast-locker.ts';
import { inProcess } from '../../paces.ts';

/** Where a pair takes a quarter of a microsecond, a look at a channel can be seen, and a subscriber is most of a pair: figures without a promise. */
export const costOfTracingInMemory = costOfTracing(
  'memory',
  async (files) => {
    const { memory } = (await files('memory.js')) as typeof Engine;
    return holdfastLocker(memory(), 'lock');
  },
  500,
  inProcess,
  {},
);
