import assert from 'node:assert/strict';
import { test } from 'vitest';
import type { SqlClient } from '../../../src/engines/sql/sql-client.ts';
import type { Database } from './databases.ts';
import type { Ground } from './ground.ts';
import { toldClient } from './told-client.ts';

const NAMES = 3000;
/** One statement for each, and a few looks at the time while the first calls are under way. */
const MOST_A_NAME = 1.2;
const DEADLINE_MS = 120_000;

export function burstCases(database: Database, ground: () => Ground): void {
  test.each(database.clients)(
    'a burst of 3,000 free names over a pool of ten costs about one statement a name: %s',
    async (client) => {
      let statements = 0;
      const through = (real: SqlClient) => toldClient(real, () => statements++);
      await using locks = database.open(ground().server.url, { client, most: 10, through });
      await locks.lock('before the burst').run(() => undefined);
      statements = 0;
      const holds = await Promise.all(
        Array.from({ length: NAMES }, (_, at) => locks.lock(`burst ${client} ${at}`).acquire()),
      );
      assert.ok(statements <= MOST_A_NAME * NAMES, `${statements} statements to acquire`);
      statements = 0;
      // Of 1,000 names the client remembers the last document: those before are looked at first.
      await Promise.all(holds.map((hold) => hold.release()));
      assert.ok(statements <= (1 + MOST_A_NAME) * NAMES, `${statements} statements to release`);
    },
    DEADLINE_MS,
  );
}
