import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock, systemRandom } from '../../../src/core/time/clock.ts';
import { openSqlite } from '../../../src/engines/sqlite/open-sqlite.ts';
import type { SqlClient } from '../../../src/engines/sql/sql-client.ts';
import { fastFolder } from '../../engines/sqlite/fast-folder.ts';
import { endAtEveryStep } from '../../fixtures/ended-at-every-step.ts';
import { useEverySynchronizer } from '../../fixtures/every-synchronizer.ts';
import { steppedSqlClient } from '../../fixtures/stepped-sql-client.ts';

/** Of fewer steps most of the scenario has not run. */
const LEAST_STEPS = 50;

// A client uses every synchronizer at once. Once for each statement, the client closes or its file closes under it, before
// or after that statement.
test.each(['engine', 'underneath', 'both'] as const)(
  'no rejection is unhandled when a client ends at any statement (%s)',
  async (end) => {
    const folder = fastFolder();
    try {
      const steps = await endAtEveryStep({
        end,
        use: useEverySynchronizer,
        open: async (label, step) => {
          let file: SqlClient | undefined;
          const { inside, ...engine } = openSqlite(
            { file: join(folder, 'locks.db'), driver: 'libsql', commandTimeoutMs: 500, label },
            {
              clock: systemClock,
              random: systemRandom,
              wrap: (inner) => {
                file = inner;
                return steppedSqlClient(inner, step);
              },
            },
          );
          await inside.schema.prepare({ resource: 'test', engine: 'sqlite' });
          return { engine, endUnderneath: () => file?.close(), leave: () => undefined };
        },
      });
      expect(steps, `only ${steps} steps`).toBeGreaterThan(LEAST_STEPS);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  120_000,
);
