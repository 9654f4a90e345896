import { afterAll, beforeAll } from 'vitest';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import { type Database, databases } from './databases.ts';
import { endedCases } from './ended-cases.ts';
import type { Ground } from './ground.ts';

for (const [title, database] of Object.entries<Database>(databases)) {
  describeWith(database.program)(title, () => {
    let ground: Ground;
    beforeAll(async () => {
      const server = await database.start();
      ground = { database, server, admin: database.open(server.url) };
    }, 60_000);
    afterAll(async () => {
      await ground?.admin.close();
      await ground?.server.stop();
    });
    endedCases(database, () => ground);
  });
}
