import { afterAll, beforeAll, describe, test } from 'vitest';
import { conformance, multiLockSuite, quorumLockSuite } from '../../../src/testing/index.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import { oneByOne } from '../redis/side-by-side.ts';
import type { Opening } from '../sql-clients/open-client.ts';
import { inPermits } from './in-permits.ts';
import { type OpenEngine, SqlHarness } from './sql-harness.ts';

/** Few enough that what an engine object keeps for itself is missed. */
const MOST_CONNECTIONS = 2;
const AT_ONCE = 16;

export interface SqlConformance {
  readonly engine: 'postgres' | 'mysql';
  readonly program: 'postgres' | 'mariadb';
  readonly client: string;
  readonly open: OpenEngine;
  readonly pool: Opening;
  readonly start: () => Promise<{ readonly url: string; stop(): Promise<void> }>;
}

/** The whole conformance suite on a server, with one of the clients. */
export function sqlConformance({ engine, program, client, open, pool, start }: SqlConformance): void {
  let server: Awaited<ReturnType<typeof start>> | undefined;
  const options = {
    engine,
    extras: ['inspector'],
    open,
    connect: () => pool(server!.url, MOST_CONNECTIONS),
  };
  const harness = new SqlHarness(options);
  const patient = new SqlHarness({ ...options, unitMs: 1200 });
  describeWith(program)(`with ${client}`, () => {
    beforeAll(async () => {
      server = await start();
      await harness.growUp();
    }, 60_000);
    afterAll(async () => {
      await harness.bury();
      await patient.bury();
      await server?.stop();
    }, 60_000);

    const { usual, composed } = inPermits(describe, test, AT_ONCE);
    conformance({ ...usual, harness });
    multiLockSuite({ ...composed, harness: patient });
    quorumLockSuite({ ...composed, harness: patient });
    describe('alone', () => {
      conformance({ ...oneByOne(test), harness });
    });
  });
}
