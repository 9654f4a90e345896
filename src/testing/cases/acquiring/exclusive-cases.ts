import type { Factories } from '../../../index.ts';
import { abortCases } from './abort-cases.ts';
import { closeCases } from '../losses/close-cases.ts';
import { contentionCases } from './contention-cases.ts';
import { crashCases } from '../losses/crash-cases.ts';
import { type ExclusiveAdapter, isFree } from '../../harness/exclusive.ts';
import { holdArgumentCases } from '../arguments/hold-argument-cases.ts';
import { leaseCases } from '../losses/lease-cases.ts';
import { lostReplyCases } from '../losses/lost-reply-cases.ts';
import { outageCases } from '../losses/outage-cases.ts';
import { attemptOutageCases } from '../losses/attempt-outage-cases.ts';
import { renewalCases } from '../losses/renewal-cases.ts';
import { runCases } from './run-cases.ts';
import { type Cases, merged } from '../../suites/suite.ts';
import { waitingCases } from './waiting-cases.ts';

/**
 * What everything that excludes has in common. A fair lock, the write side of a read-write lock, a semaphore with one
 * permit and an election are locks too, and pass all of it.
 */
export function exclusiveCases<K extends keyof Factories>(adapter: ExclusiveAdapter<K>): Cases<K> {
  return merged(
    contentionCases(adapter),
    waitingCases(adapter),
    abortCases(adapter),
    leaseCases(adapter),
    renewalCases(adapter),
    runCases(adapter),
    crashCases(adapter),
    lostReplyCases(adapter),
    outageCases(async (client, name) => {
      const thing = adapter.open(client, name);
      await isFree(thing);
      return [(timeoutMs) => thing.tryAcquire({ timeoutMs }), (timeoutMs) => thing.acquire({ timeoutMs })];
    }),
    attemptOutageCases(adapter),
    closeCases(adapter),
    holdArgumentCases(adapter),
  );
}
