import assert from 'node:assert/strict';
import { test } from 'vitest';
import { endAtEveryStep } from '../../fixtures/ended-at-every-step.ts';
import { steppedSqlClient } from '../../fixtures/stepped-sql-client.ts';
import type { Database } from './databases.ts';
import type { Ground } from './ground.ts';
import { MuteProxy } from './mute-proxy.ts';

const ENDS = ['engine', 'underneath', 'both'] as const;
const COMMAND_TIMEOUT_MS = 500;
/** Connections of one client: a server that runs many clients at once has to bear them all. */
const MOST = 3;
/** Of fewer steps most of the scenario has not run. */
const LEAST_STEPS = 100;

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
        open: async (label, step) => {
          const locks = database.open(there().server.url, {
            client,
            label,
            most: MOST,
            commandTimeoutMs: COMMAND_TIMEOUT_MS,
            through: (inner) => steppedSqlClient(inner, step),
          });
          await locks.inside.schema.ready({ resource: 'test', engine: database.engine });
          return { engine: locks, endUnderneath: () => locks.pool.end(), leave: () => undefined };
        },
      });
      assert.ok(steps > LEAST_STEPS);
    },
    LONG_MS,
  );

  test.each(cases.filter(([, end]) => end !== 'engine'))(
    'no rejection is unhandled when the network of %s ends at any statement (%s)',
    async (client, end) => {
      const steps = await endAtEveryStep({
        end,
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
          await locks.inside.schema.ready({ resource: 'test', engine: database.engine });
          return {
            engine: locks,
            endUnderneath: () => proxy[Symbol.dispose](),
            leave: () => proxy[Symbol.dispose](),
          };
        },
      });
      assert.ok(steps > LEAST_STEPS);
    },
    LONG_MS,
  );
}
