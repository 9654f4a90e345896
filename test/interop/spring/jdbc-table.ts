import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgres, type PostgresSynchronizers } from '../../../src/engines/postgres/index.ts';
import { springLockKey } from '../../../src/engines/sql/native/table-locks/table-lock-statements.ts';
import type { Lock } from '../../../src/index.ts';
import { postgresPools } from '../../engines/sql-clients/postgres-pools.ts';
import { springTables } from '../../engines/sql-native/spring-tables.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { type PostgresServer, startPostgres } from '../../fixtures/sql/postgres-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import { describeJava } from '../java-build.ts';
import { startNode } from '../node-program.ts';
import { NodeWaits } from '../node-waits.ts';
import { renewed } from '../renewed.ts';
import { registryCases } from './registry-cases.ts';
import { type JdbcSettings, type Layout, SpringJdbc } from './spring-jdbc.ts';

/** In layout 6 all who use a lock must know the same time, so each has a region of its own. */
const TIMES_MS = { long: 60_000, brief: 2500 } as const;
type Time = keyof typeof TIMES_MS;
const WAIT_MS = 250;
const TOLERANCE_MS = 30;
/** What a row is good for beyond its time, because clocks differ, and what a busy machine adds. */
const GRACE_MS = 2000 + 5000;

/** It needs a database too. */
const describeJdbc = describeWith('postgres') === describe ? describeJava : describe.skip;

/** The table of one layout in PostgreSQL, in both directions. */
export function jdbcTable(layout: Layout): void {
  const prefix = `V${layout}_`;
  const registries: readonly JdbcSettings[] = Object.entries(TIMES_MS).map(([region, timeToLive]) => ({
    prefix,
    region,
    timeToLive,
  }));

  describeJdbc(`JdbcLockRegistry on PostgreSQL, layout ${layout}`, () => {
    let server: PostgresServer;
    let pool: pg.Pool;
    let locks: PostgresSynchronizers;
    let java: SpringJdbc;
    let names = 0;
    const nodeWaits = new NodeWaits();
    beforeAll(async () => {
      server = await startPostgres();
      await springTables('postgres', postgresPools['pg']!(server.url));
      pool = new pg.Pool({ connectionString: server.url });
      pool.on('error', () => undefined);
      locks = postgres({ pool });
      nodeWaits.listenTo(locks);
      java = await SpringJdbc.start(layout, server, registries);
    });
    afterAll(async () => {
      await java?.kill();
      await locks?.close();
      await pool?.end();
      await server?.stop();
    });

    const newName = (): string => `name ${(names += 1)}`;
    const optionsFor = (time: Time) =>
      ({ layout, prefix, region: time, renewalLeaseMs: TIMES_MS[time] }) as const;
    const nodeLock = (name: string, time: Time = 'long'): Lock => locks.tableLock(name, optionsFor(time));
    /** What is left of a row for those who read it, as Java does. */
    const leftMs = async (name: string, time: Time): Promise<number> => {
      const end = layout === 7 ? 'expired_after' : `created_date + ${TIMES_MS[time]} * interval '1 ms'`;
      const { rows } = await pool.query<{ left: number }>(
        `select extract(epoch from ${end} - (clock_timestamp() at time zone 'utc'))::float8 * 1000 as left
           from ${prefix}LOCK where lock_key = $1 and region = $2`,
        [springLockKey(name), time],
      );
      return rows[0]?.left ?? 0;
    };

    describe.concurrent('in each direction', () => {
      registryCases({
        newName,
        java: (name) => java.lock('long', name),
        node: nodeLock,
        nodeWaits: nodeWaits.begin,
        owner: () => locks.owner(),
        refusal: 'IllegalMonitorStateException',
      });

      test('a time that Java lets run out: Node acquires then, and Java is refused', async () => {
        const name = newName();
        const theirs = java.lock('brief', name);
        const askedAt = performance.now();
        await theirs.lock();
        const hold = await nodeLock(name, 'brief').acquire({ timeoutMs: 20_000 });
        expect(performance.now() - askedAt).toBeGreaterThan(TIMES_MS.brief - TOLERANCE_MS);
        await expect(theirs.unlock()).rejects.toMatchObject({ type: 'ConcurrentModificationException' });
        hold.throwIfLost();
        await hold.release();
      });

      test('a lease that Node lets run out: hold.lost fires, then Java acquires', async () => {
        const name = newName();
        const theirs = java.lock('brief', name);
        const askedAt = performance.now();
        const hold = await nodeLock(name, 'brief').acquire({ leaseMs: 900 });
        await theirs.lock();
        expect(performance.now() - askedAt).toBeGreaterThan(900 - TOLERANCE_MS);
        expect(hold.lost.aborted).toBe(true);
        await expect(hold.release()).rejects.toMatchObject({ code: 'LEASE_LOST' });
        await theirs.unlock();
      });

      test('Java renews what it holds, and Node stays out', async () => {
        const name = newName();
        const theirs = java.lock('long', name);
        await theirs.lock();
        const waiting = await nodeWaits.begin(name, () => nodeLock(name).acquire());
        const before = await leftMs(name, 'long');
        await waitFor('some of it is over', async () => (await leftMs(name, 'long')) < before - WAIT_MS);
        const shorter = await leftMs(name, 'long');
        await theirs.renew();
        expect(await leftMs(name, 'long')).toBeGreaterThan(shorter);
        expect(await nodeLock(name).tryAcquire()).toBeNull();
        await theirs.unlock();
        await (await waiting.outcome).release();
      });

      test('Node renews what it holds, and Java stays out', async () => {
        const name = newName();
        const hold = await nodeLock(name, 'brief').acquire();
        await renewed(() => leftMs(name, 'brief'));
        expect(await java.lock('brief', name).tryLock()).toBe(false);
        hold.throwIfLost();
        await hold.release();
      });

      test('a JVM that is killed: Node acquires when its time is over, and not before', async () => {
        const name = newName();
        await using mortal = await SpringJdbc.start(layout, server, registries);
        await mortal.lock('brief', name).lock();
        const waiting = await nodeWaits.begin(name, () => nodeLock(name, 'brief').acquire());
        const left = await leftMs(name, 'brief');
        const seenAt = performance.now();
        await mortal.kill();
        const hold = await waiting.outcome;
        const tookMs = performance.now() - seenAt;
        expect(tookMs).toBeGreaterThan(left - TOLERANCE_MS);
        expect(tookMs).toBeLessThan(left + GRACE_MS);
        await hold.release();
      });

      test('a Node process that is killed: Java acquires when its time is over, and not before', async () => {
        const name = newName();
        await using holder = startNode('table-holder', {
          url: server.url,
          name,
          options: optionsFor('brief'),
        });
        await holder.fact('ready');
        const theirs = java.lock('brief', name);
        const entering = theirs.lock();
        await holder.kill();
        const left = await leftMs(name, 'brief');
        const seenAt = performance.now();
        await entering;
        const tookMs = performance.now() - seenAt;
        expect(tookMs).toBeGreaterThan(left - TOLERANCE_MS);
        expect(tookMs).toBeLessThan(left + GRACE_MS);
        await theirs.unlock();
      });
    });
  });
}
