import { exclusiveCases } from '../cases/acquiring/exclusive-cases.ts';
import { holderCases } from '../cases/holder-cases.ts';
import { inspectionCases } from '../cases/inspection-cases.ts';
import { nameCases } from '../cases/arguments/name-cases.ts';
import { ownerCases } from '../cases/reentry/owner-cases.ts';
import { reentrantCases } from '../cases/reentry/reentrant-cases.ts';
import { ownedAttemptOutageCases } from '../cases/losses/attempt-outage-cases.ts';
import { outageCases } from '../cases/losses/outage-cases.ts';
import { merged, prefixed, suiteOf } from './suite.ts';
import { sharingCases } from '../cases/read-write/sharing-cases.ts';
import { twoSidesCases } from '../cases/read-write/two-sides-cases.ts';
import { both, read, type ReadWriteLockClient, write } from '../cases/read-write/sides.ts';

const writeSide = { open: write, rival: write };
const readSide = { open: read, rival: write };

/** Both sides of the read-write lock; each of them is a lock too. */
export const readWriteLockSuite = suiteOf<'readWriteLock'>(
  'readWriteLock',
  prefixed(
    'write side',
    merged(
      exclusiveCases(writeSide),
      reentrantCases(writeSide),
      ownerCases(writeSide),
      ownedAttemptOutageCases(writeSide),
      inspectionCases(writeSide),
      holderCases(writeSide),
    ),
  ),
  prefixed(
    'read side',
    merged(
      reentrantCases(readSide),
      ownerCases(readSide),
      ownedAttemptOutageCases(readSide),
      inspectionCases(readSide),
      holderCases(readSide),
      outageCases(async (client: ReadWriteLockClient, name) => {
        const lock = read(client, name);
        await lock.run(() => undefined);
        return [(timeoutMs) => lock.tryAcquire({ timeoutMs }), (timeoutMs) => lock.acquire({ timeoutMs })];
      }),
    ),
  ),
  nameCases({
    make: both,
    use: async ({ read: reading, write: writing }) => {
      await reading.run(() => undefined);
      await writing.run(() => undefined);
    },
  }),
  sharingCases,
  twoSidesCases,
);
