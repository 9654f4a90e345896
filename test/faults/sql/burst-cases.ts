import { expect, test } from 'vitest';
import type { SqlClient } from '../../../src/engines/sql/sql-client.ts';
import type { Database } from './databases.ts';
import type { Ground } from './ground.ts';
import { toldClient } from './told-client.ts';

const NAMES = 1000;
/**
 * One for each on a machine that has time for it: 3,000 for 3,000 names were counted with each client. One that is so busy
 * that no answer comes within the time a guess is good for looks first. Without the line for slots each name cost 3 to 6.
 */
const MOST_A_NAME = 2.3;
const DEADLINE_MS = 120_000;

export function burstCases(database: Database, ground: () => Ground): void {
  test.each(database.clients)(
    'a burst of 1,000 free names over a pool of ten is decided once for each name: %s',
    async (client) => {
      let statements = 0;
      const through = (real: SqlClient) => toldClient(real, () => statements++);
      await using locks = database.open(ground().server.url, { client, most: 10, through });
      await locks.lock('before the burst').run(() => undefined);
      statements = 0;
      const holds = await Promise.all(
        Array.from({ length: NAMES }, (_, at) => locks.lock(`burst ${client} ${at}`).acquire()),
      );
      expect(statements <= MOST_A_NAME * NAMES, `${statements} statements to acquire`).toBeTruthy();
      statements = 0;
      await Promise.all(holds.map((hold) => hold.release()));
      expect(statements <= MOST_A_NAME * NAMES, `${statements} statements to release`).toBeTruthy();
    },
    DEADLINE_MS,
  );
}
