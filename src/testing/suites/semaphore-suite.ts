import type { Synchronizers } from '../../index.ts';
import { exclusiveCases } from '../cases/exclusive-cases.ts';
import { nameCases } from '../cases/name-cases.ts';
import { BAD_PERMITS, permitCases } from '../cases/permit-cases.ts';
import { prefixed, suiteOf } from './suite.ts';

type Client = Synchronizers<'semaphore'>;

const make = (client: Client, name: string, permits: number) => client.semaphore(name, { permits });

/** The semaphore. With one permit it is a lock. */
export const semaphoreSuite = suiteOf<'semaphore'>(
  'semaphore',
  prefixed('with one permit', exclusiveCases({ open: (client: Client, name) => make(client, name, 1) })),
  permitCases(make),
  nameCases({
    make: (client: Client, name) => make(client, name, 2),
    use: (semaphore) => semaphore.run(() => undefined),
    badOptions: BAD_PERMITS,
    makeWith: (client, name, options) => client.semaphore(name, options as { permits: number }),
  }),
);
