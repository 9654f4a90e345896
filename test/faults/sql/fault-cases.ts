import { afterAll, beforeAll } from 'vitest';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import { burstCases } from './burst-cases.ts';
import { cleanUpCases } from './clean-up-cases.ts';
import { clockCases } from './clock-cases.ts';
import { connectionCases } from './connection-cases.ts';
import { databases } from './databases.ts';
import type { Ground } from './ground.ts';
import { guardCases } from './guard-cases.ts';
import { idleCases } from './idle-cases.ts';
import { makeMovedClock } from './moved-clock.ts';
import { nameCases } from './name-cases.ts';
import { outageCases } from './outage-cases.ts';
import { privilegeCases } from './privilege-cases.ts';

/** All that needs a server and leaves it running, on one. */
export function faultCases(title: keyof typeof databases): void {
  const database = databases[title];
  describeWith(database.program)(title, () => {
    let ground: Ground;
    beforeAll(async () => {
      const server = await database.start();
      ground = { database, server, admin: database.open(server.url) };
      await makeMovedClock(ground);
    }, 60_000);
    afterAll(async () => {
      await ground?.admin.close();
      await ground?.server.stop();
    });
    const there = (): Ground => ground;

    guardCases(database, there);
    clockCases(there);
    cleanUpCases(database, there);
    nameCases(database, there);
    privilegeCases(database, there);
    burstCases(database, there);
    idleCases(database, there);
    connectionCases(database, there);
    outageCases(database, there);
  });
}
