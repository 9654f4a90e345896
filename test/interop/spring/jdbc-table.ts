import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgres, type PostgresSynchronizers } from '../../../src/engines/postgres/index.ts';
import { springLockKey } from '../../../src/engines/sql/native/spring-lock-key.ts';
import type { Lock } from '../../../src/index.ts';
import { postgresPools } from '../../engines/sql-clients/postgres-pools.ts';
import { springTables } from '../../engines/sql-native/spring-tables.ts';
import { waitFor } from '../../fixtures/redis/wait-for.ts';
import { type PostgresServer, startPostgres } from '../../fixtures/sql/postgres-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import { describeJava } from '../java-build.ts';
import { startNode } from '../node-program.ts';
import { renewed } from '../renewed.ts';
import { type JdbcSettings, type Layout, SpringJdbc } from './spring-jdbc.ts';

/** In layout 6 all who use a lock must know the same time, so each has a region of its own. */
const TIMES_MS = { long: 60_000, brief: 2500 } as const;
type Time = keyof typeof TIMES_MS;
const WAIT_MS = 250;
const SOON_MS = 6000;
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
    const contended = new Map<string, number>();
    beforeAll(async () => {
      server = await startPostgres();
      await springTables('postgres', postgresPools['pg']!(server.url));
      pool = new pg.Pool({ connectionString: server.url });
      pool.on('error', () => undefined);
      locks = postgres({ pool });
      locks.on('contended', ({ name }) => contended.set(name, (contended.get(name) ?? 0) + 1));
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
    const nodeWaits = async <T>(name: string, begin: () => Promise<T>): Promise<{ outcome: Promise<T> }> => {
      const before = contended.get(name) ?? 0;
      const outcome = begin();
      outcome.catch(() => undefined);
      await waitFor('somebody waits in Node', () => (contended.get(name) ?? 0) > before);
      return { outcome };
    };
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
      test('Java holds, Node waits', async () => {
        const name = newName();
        const theirs = java.lock('long', name);
        const ours = nodeLock(name);
        await theirs.lock();
        expect(await ours.tryAcquire()).toBeNull();
        expect(await ours.tryAcquire({ timeoutMs: WAIT_MS })).toBeNull();
        await expect(ours.acquire({ timeoutMs: WAIT_MS })).rejects.toMatchObject({ code: 'ACQUIRE_TIMEOUT' });
        const waiting = await nodeWaits(name, () => ours.acquire());
        const releasedAt = performance.now();
        await theirs.unlock();
        const hold = await waiting.outcome;
        expect(performance.now() - releasedAt).toBeLessThan(SOON_MS);
        expect(await java.lock('long', name).tryLock()).toBe(false);
        await hold.release();
        expect(await theirs.tryLock()).toBe(true);
        await theirs.unlock();
      });

      test('Node holds, Java waits', async () => {
        const name = newName();
        const theirs = java.lock('long', name);
        const ours = nodeLock(name);
        const hold = await ours.acquire();
        expect(await theirs.tryLock()).toBe(false);
        const askedAt = performance.now();
        expect(await theirs.tryLock(WAIT_MS)).toBe(false);
        expect(performance.now() - askedAt).toBeGreaterThan(WAIT_MS - TOLERANCE_MS);
        // It asks ten times a second, and leaves no trace of that.
        const entering = theirs.lock();
        await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
        const releasedAt = performance.now();
        await hold.release();
        await entering;
        expect(performance.now() - releasedAt).toBeLessThan(SOON_MS);
        expect(await ours.tryAcquire()).toBeNull();
        await theirs.unlock();
        const again = await ours.tryAcquire();
        expect(again).not.toBeNull();
        await again?.release();
      });

      test('three of each side, again and again: never two at once, and everybody is served', async () => {
        const name = newName();
        let inside = 0;
        let turns = 0;
        const section = async (): Promise<void> => {
          inside += 1;
          expect(inside).toBe(1);
          await new Promise((resolve) => setImmediate(resolve));
          inside -= 1;
          turns += 1;
        };
        const ofJava = async (): Promise<void> => {
          const theirs = java.lock('long', name);
          for (let turn = 0; turn < 4; turn += 1) {
            await theirs.lock();
            await section();
            await theirs.unlock();
          }
        };
        const ofNode = async (): Promise<void> => {
          for (let turn = 0; turn < 4; turn += 1) await nodeLock(name).run(section);
        };
        await Promise.all([ofJava(), ofNode(), ofJava(), ofNode(), ofJava(), ofNode()]);
        expect(turns).toBe(24);
      });

      test('a time that Java lets run out: Node gets in then, and Java is refused', async () => {
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

      test('a lease that Node lets run out: Java gets in then, and Node is told before', async () => {
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
        const waiting = await nodeWaits(name, () => nodeLock(name).acquire());
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

      test('what Node holds is not Java’s to unlock, and the other way round', async () => {
        const name = newName();
        const theirs = java.lock('long', name);
        const ours = nodeLock(name);
        const hold = await ours.acquire();
        await expect(theirs.unlock()).rejects.toMatchObject({ type: 'IllegalMonitorStateException' });
        hold.throwIfLost();
        await hold.release();
        await theirs.lock();
        await expect(ours.release(locks.owner())).rejects.toMatchObject({ code: 'NOT_HELD' });
        await theirs.unlock();
      });

      test('Node breaks what Java holds: Java is refused, and Node gets in', async () => {
        const name = newName();
        const theirs = java.lock('long', name);
        const ours = nodeLock(name);
        await theirs.lock();
        const waiting = await nodeWaits(name, () => ours.acquire());
        expect(await ours.forceRelease()).toBe(true);
        const hold = await waiting.outcome;
        await expect(theirs.unlock()).rejects.toMatchObject({ type: 'ConcurrentModificationException' });
        await hold.release();
        expect(await ours.forceRelease()).toBe(false);
      });

      test('a JVM that is killed: Node gets in when its time is over, and not before', async () => {
        const name = newName();
        await using mortal = await SpringJdbc.start(layout, server, registries);
        await mortal.lock('brief', name).lock();
        const waiting = await nodeWaits(name, () => nodeLock(name, 'brief').acquire());
        const left = await leftMs(name, 'brief');
        const seenAt = performance.now();
        await mortal.kill();
        const hold = await waiting.outcome;
        const tookMs = performance.now() - seenAt;
        expect(tookMs).toBeGreaterThan(left - TOLERANCE_MS);
        expect(tookMs).toBeLessThan(left + GRACE_MS);
        await hold.release();
      });

      test('a Node process that is killed: Java gets in when its time is over, and not before', async () => {
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
