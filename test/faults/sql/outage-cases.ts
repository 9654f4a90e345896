import { describe, expect, test } from 'vitest';
import { EngineError } from '../../../src/index.ts';
import { freePort } from '../../fixtures/processes/free-port.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import type { SqlClient } from '../../../src/engines/sql/sql-client.ts';
import { BLOCKING } from './blocking.ts';
import { type Database, valueOf } from './databases.ts';
import type { Ground } from './ground.ts';
import { MuteProxy } from './mute-proxy.ts';

const DEADLINE_MS = 60_000;
const COMMAND_TIMEOUT_MS = 1500;
const NAMES = ['alpha', 'beta', 'gamma'];
/** Its pool keeps to itself for ten seconds that every connection was refused. */
const KEEPS_TO_ITSELF = 'mariadb';
/** It keeps statements for a connection to come, and does not tell when it sends them. */
const KEEPS_STATEMENTS = 'postgres.js';

/** What a call is rejected with. */
async function errorOf(call: Promise<unknown>): Promise<EngineError> {
  const error = await call.then(
    (value) => expect.unreachable(`resolved to ${String(value)}`),
    (reason: unknown) => reason,
  );
  expect(error, String(error)).toBeInstanceOf(EngineError);
  return error as EngineError;
}

/** That the error of each of several locks names that lock, by work that all of them share. */
async function assertOwnNames(call: (name: string) => Promise<unknown>): Promise<readonly EngineError[]> {
  const errors = await Promise.all(NAMES.map((name) => errorOf(call(name))));
  expect(errors.map(({ resource }) => resource)).toStrictEqual(NAMES.map((name) => `lock "${name}"`));
  for (const [at, { message }] of errors.entries())
    expect(message.startsWith(`lock "${NAMES[at]}": `), message).toBe(true);
  return errors;
}

export function outageCases(database: Database, ground: () => Ground): void {
  describe.each(database.clients)('a server that %s cannot reach', (client) => {
    const settings = { client, commandTimeoutMs: COMMAND_TIMEOUT_MS };

    test(
      'is an outage to those who wait, and never contention',
      async () => {
        const { server } = ground();
        await using locks = database.open(server.urlFor('a', 'b', await freePort()), settings);
        const lock = locks.lock('a');
        for (const call of [lock.tryAcquire({ timeoutMs: 300 }), lock.acquire({ timeoutMs: 300 })]) {
          const error = await errorOf(call);
          expect(error.retryable).toBe(true);
          expect(error.message).toMatch(/lock "a": \w+ did not answer within 300 ms/);
          expect(String(error.cause)).toMatch(client === KEEPS_TO_ITSELF ? /no answer/ : /ECONNREFUSED/);
        }
        const start = performance.now();
        const error = await errorOf(lock.tryAcquire());
        const elapsedMs = performance.now() - start;
        // Twice the time-out of a command, and as much again for a machine that is busy.
        expect(elapsedMs, `${elapsedMs} ms`).toBeLessThan(4 * COMMAND_TIMEOUT_MS);
        expect(error.message).toMatch(/did not answer.*; nothing was done/);
      },
      DEADLINE_MS,
    );

    test(
      'tells each caller about its own lock, and that nothing was done',
      async () => {
        const { server } = ground();
        await using locks = database.open(server.urlFor('a', 'b', await freePort()), settings);
        for (const { message, retryable } of await assertOwnNames((name) => locks.lock(name).acquire())) {
          expect(retryable).toBe(true);
          expect(message).toMatch(/did not answer.*; nothing was done/);
        }
      },
      DEADLINE_MS,
    );

    test(
      'for want of tables tells each caller about its own lock',
      async () => {
        const { server } = ground();
        await using locks = database.open(server.url, { client, schema: 'nowhere' });
        for (const { message, retryable } of await assertOwnNames((name) => locks.lock(name).acquire())) {
          expect(retryable).toBe(false);
          expect(message).toMatch(/the tables of Holdfast are missing/);
        }
      },
      DEADLINE_MS,
    );

    test.skipIf(client === KEEPS_STATEMENTS)(
      'for want of a free connection has done nothing, also when there is one again',
      async () => {
        const { server, admin } = ground();
        const name = `exhausted ${client}`;
        await admin.latch(name).trySetCount(3);
        await using locks = database.open(server.url, { client, most: 1, commandTimeoutMs: 400 });
        expect(await locks.latch(name).countDown()).toBe(2);
        const taken = await locks.pool.client.openSession!();
        const error = await errorOf(locks.latch(name).countDown());
        expect(error.message).toMatch(/did not answer.*; nothing was done/);
        await taken.end('reuse');
        // What waited for the connection has had its turn when a later statement is answered.
        await waitFor('it is reached again', () =>
          locks
            .latch(name)
            .count()
            .catch(() => undefined),
        );
        expect(await admin.latch(name).count()).toBe(2);
      },
      DEADLINE_MS,
    );

    test(
      'for want of a free connection has an inspector that says so, and waits no longer than a lock',
      async () => {
        const { server, admin } = ground();
        const prefix = `inspected ${client} `;
        await using _ = await admin.lock(`${prefix}a`).acquire();
        await using locks = database.open(server.url, { client, most: 1, commandTimeoutMs: 400 });
        const listed = async (): Promise<readonly string[]> => {
          const names: string[] = [];
          for await (const { name } of locks.inspector.list({ prefix })) names.push(name);
          return names;
        };
        expect(await listed()).toStrictEqual([`${prefix}a`]);
        const taken = await locks.pool.client.openSession!();
        const error = await errorOf(listed());
        expect(error.retryable).toBe(true);
        expect(error.resource).toBe('inspector');
        expect(error.message).toMatch(/^inspector: \w+ did not answer within 800 ms.*; nothing was done/);
        await taken.end('reuse');
        expect(await listed()).toStrictEqual([`${prefix}a`]);
      },
      DEADLINE_MS,
    );

    test.skipIf(client === KEEPS_STATEMENTS)(
      'for the second copy of a statement does not deny the first copy, which is out (soundness 3)',
      async () => {
        const { server, admin } = ground();
        const name = `copies ${client}`;
        await admin.latch(name).trySetCount(3);
        using proxy = await MuteProxy.start(server.port);
        let copies = 0;
        const through = (sql: SqlClient): SqlClient => ({
          ...sql,
          failure: (error) => sql.failure(error),
          close: () => sql.close(),
          abandonAfter: () => undefined,
          query: (text, values, sending) => {
            if (sending !== undefined) copies++;
            return sql.query(text, values, sending);
          },
        });
        const url = new URL(server.url);
        url.port = String(proxy.port);
        const commandTimeoutMs = 2 * COMMAND_TIMEOUT_MS;
        await using locks = database.open(url.href, { client, most: 2, commandTimeoutMs, through });
        expect(await locks.latch(name).countDown()).toBe(2);
        const taken = [await locks.pool.client.openSession!(), await locks.pool.client.openSession!()];
        copies = 0;
        const failed = errorOf(locks.latch(name).countDown());
        await waitFor('both copies wait for a connection', () => copies === 2);
        proxy.refuse();
        const blocker = await admin.pool.client.openSession!();
        const { lock, unlock, waiting } = BLOCKING[database.engine];
        await blocker.query(lock, []);
        try {
          await taken[0]!.end('reuse');
          const isOut = async (): Promise<boolean> => Number(await valueOf(admin.pool.client, waiting)) > 0;
          await waitFor('the first copy is out', isOut);
          await taken[1]!.end('discard');
          expect((await failed).message).toMatch(/did not answer.*whether it happened is not known/);
        } finally {
          await blocker.query(unlock, []);
          await blocker.end('reuse');
        }
      },
      DEADLINE_MS,
    );
  });
}
