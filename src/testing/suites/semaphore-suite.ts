import type { Synchronizers } from '../../index.ts';
import { exclusiveCases } from '../cases/acquiring/exclusive-cases.ts';
import { nameCases } from '../cases/arguments/name-cases.ts';
import { BAD_PERMITS, permitCases } from '../cases/acquiring/permit-cases.ts';
import { prefixed, suiteOf } from './suite.ts';

type SemaphoreClient = Synchronizers<'semaphore'>;

const make = (client: SemaphoreClient, name: string, permits: number) => client.semaphore(name, { permits });

/** The semaphore. With one permit it is a lock. */
export const semaphoreSuite = suiteOf<'semaphore'>(
  'semaphore',
  prefixed(
    'with one permit',
    exclusiveCases({ open: (client: SemaphoreClient, name) => make(client, name, 1) }),
  ),
  permitCases(make),
  nameCases({
    make: (client: SemaphoreClient, name) => make(client, name, 2),
    use: (semaphore) => semaphore.run(() => undefined),
    badOptions: BAD_PERMITS,
    makeWith: (client, name, options) => client.semaphore(name, options as { permits: number }),
  }),
);
