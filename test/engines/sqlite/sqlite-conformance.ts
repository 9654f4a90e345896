import { describe, test } from 'vitest';
import type { DriverName } from '../../../src/engines/sqlite/file/drivers.ts';
import { conformance, quorumLockSuite } from '../../../src/testing/index.ts';
import { fewAtATime, oneByOne } from '../redis/side-by-side.ts';
import { inShifts } from './in-shifts.ts';
import { SqliteHarness } from './sqlite-harness.ts';

const QUORUM_UNIT_MS = 700;

/** The whole conformance suite with one of the packages that open files. */
export function sqliteConformance(driver: DriverName): void {
  const harness = new SqliteHarness({ driver });
  const patient = new SqliteHarness({ driver }, QUORUM_UNIT_MS);
  describe(`with ${driver}`, () => {
    conformance({ ...inShifts(describe, test), harness });
    quorumLockSuite({ ...fewAtATime(describe, test, async () => undefined), harness: patient });
    describe('alone', () => {
      conformance({ ...oneByOne(test), harness });
    });
  });
}
