import { expect, test } from 'vitest';
import { endAtEveryStep } from '../../fixtures/ended-at-every-step.ts';
import { useEverySynchronizer } from '../../fixtures/every-synchronizer.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { steppedSqlClient } from '../../fixtures/stepped-sql-client.ts';
import { type NativeEngine, openNative } from '../../engines/sql-native/native-engine.ts';
import { springTables } from '../../engines/sql-native/spring-tables.ts';
import type { OpenClient } from '../../engines/sql-clients/open-client.ts';
import { type Database, type OpenedLocks, pools } from './databases.ts';
import type { Ground } from './ground.ts';
import { MuteProxy } from './mute-proxy.ts';
import { useNativeLocks } from './use-native-locks.ts';

const ENDS = ['engine', 'underneath', 'both'] as const;
const COMMAND_TIMEOUT_MS = 500;
/** Each of the database's own locks opens a connection: on a busy machine that takes longer. */
const NATIVE_TIMEOUT_MS = 3000;
/** Connections of one client: a server that runs many clients at once has to bear them all. */
const MOST = 3;
/** Two clients each: 48 connections, of the 100 that a server has. */
const AT_ONCE = 8;
/** Two rounds of clients reach all steps that are chosen of about 300: a round takes up to 5 s. */
const USUAL_STRIDE = 20;
/** Of fewer steps most of the scenario has not run. */
const LEAST_STEPS = 50;
/** The database's own locks take fewer statements. */
const LEAST_NATIVE_STEPS = 10;

const LONG_MS = 300_000;

/**
 * A client uses every synchronizer at once. Once for each statement, the engine object closes, or the user ends the pool under
 * it, or the network goes away under both, before or after that statement.
 */
export function endedCases(database: Database, there: () => Ground): void {
  const cases = database.clients.flatMap((client) => ENDS.map((end) => [client, end] as const));

  test.each(cases)(
    'no rejection is unhandled when %s ends at any statement (%s)',
    async (client, end) => {
      const steps = await endAtEveryStep({
        end,
        atOnce: AT_ONCE,
        usualStride: USUAL_STRIDE,
        use: useEverySynchronizer,
        open: async (label, step) => {
          const locks = database.open(there().server.url, {
            client,
            label,
            most: MOST,
            commandTimeoutMs: COMMAND_TIMEOUT_MS,
            through: (inner) => steppedSqlClient(inner, step),
          });
          await ready(database, locks);
          return {
            engine: standing(locks),
            endUnderneath: () => locks.pool.end(),
            leave: () => endPool(locks.pool),
          };
        },
      });
      expect(steps, `only ${steps} steps`).toBeGreaterThan(LEAST_STEPS);
    },
    LONG_MS,
  );

  test.each(cases.filter(([, end]) => end !== 'engine'))(
    'no rejection is unhandled when the network of %s ends at any statement (%s)',
    async (client, end) => {
      const steps = await endAtEveryStep({
        end,
        atOnce: AT_ONCE,
        usualStride: USUAL_STRIDE,
        use: useEverySynchronizer,
        open: async (label, step) => {
          const { url } = there().server;
          const proxy = await MuteProxy.start(Number(new URL(url).port));
          const through = new URL(url);
          through.port = String(proxy.port);
          const locks = database.open(through.href, {
            client,
            label,
            most: MOST,
            commandTimeoutMs: COMMAND_TIMEOUT_MS,
            through: (inner) => steppedSqlClient(inner, step),
          });
          await ready(database, locks);
          return {
            engine: standing(locks),
            endUnderneath: () => proxy[Symbol.dispose](),
            leave: async () => {
              await endPool(locks.pool);
              proxy[Symbol.dispose]();
            },
          };
        },
      });
      expect(steps, `only ${steps} steps`).toBeGreaterThan(LEAST_STEPS);
    },
    LONG_MS,
  );

  test.each(cases)(
    "no rejection is unhandled when the database's own locks of %s end at any statement (%s)",
    async (client, end) => {
      const openPool = pools[database.engine][client]!;
      await springTables(database.engine, openPool(there().server.url, 1));
      const steps = await endAtEveryStep<NativeEngine>({
        end,
        atOnce: AT_ONCE,
        use: (company) => useNativeLocks(database.engine, company),
        open: async (label, step) => {
          const pool = openPool(there().server.url, MOST);
          const engine = openNative(database.engine, steppedSqlClient(pool.client, step), {
            label,
            commandTimeoutMs: NATIVE_TIMEOUT_MS,
            waitSliceMs: 100,
          });
          return { engine, endUnderneath: () => pool.end(), leave: () => endPool(pool) };
        },
      });
      expect(steps, `only ${steps} steps`).toBeGreaterThan(LEAST_NATIVE_STEPS);
    },
    LONG_MS,
  );
}

/** The engine on a pool that is not its own: only a failure of the engine's `close` is a failure of the case. */
function standing(locks: OpenedLocks): OpenedLocks {
  return { ...locks, close: locks.closeLocks };
}

/** A pool whose server went away may fail to end (mysql2: ECONNREFUSED): that is the driver's business, not ours. */
async function endPool(pool: OpenClient): Promise<void> {
  await pool.end().catch(() => undefined);
}

/** With the tables in place. The limit of a command is short, and a busy machine may need longer for its first connection. */
async function ready({ engine }: Database, locks: OpenedLocks): Promise<void> {
  await waitFor('the tables are there', async () => {
    await locks.inside.schema.prepare({ resource: 'test', engine });
    return true;
  });
}
