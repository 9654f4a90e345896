import { describe, expect, test } from 'vitest';
import { EngineError, LeaseLostError } from '../../src/index.ts';
import { uses } from '../faults/sql/name-cases.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { type OpenedOrm, type Orm, type OrmSettings, ROLL_BACK } from './orm.ts';

/** A database server, and how its SQL makes the situations of these cases. */
export interface OrmGround {
  readonly server: {
    readonly url: string;
    urlFor(user: string, password: string, port?: number): string;
  };
  /** Runs statements as the administrator, and answers the rows of the last one. */
  run(...statements: readonly string[]): Promise<readonly (readonly unknown[])[]>;
  /** Statements after which the first changes of the table of cells fail with an error, as many as these. */
  failing(tablePrefix: string, error: FailingError, times: number): readonly string[];
  /** How often a change was tried since then. */
  changesTried(tablePrefix: string): Promise<number>;
  /** Statements that create a user who may read our tables, and not write to them. */
  reader(user: string, password: string, tablePrefix: string): readonly string[];
  /** Statements that create Spring's table. */
  readonly springTable: readonly string[];
  /** Ends all connections but that of the administrator. */
  endConnections(): Promise<void>;
}

/** What the database is made to answer. */
export type FailingError = 'deadlock' | 'full' | 'read-only';

const PASSWORD = 'tell-nothing';
const MINUTE_MS = 60_000;

let prefixes = 0;

/** Tables of their own for a test. */
function newPrefix(): string {
  prefixes += 1;
  return `orm_${prefixes}_`;
}

/** What users of each ORM count on, over locks that use the ORM's connections. */
export function ormCases(orm: Orm, ground: () => OrmGround): void {
  async function open(settings: OrmSettings = {}, url = ground().server.url): Promise<OpenedOrm> {
    return orm.open(url, { pollMs: orm.hears ? 10 * MINUTE_MS : 20, ...settings });
  }

  test('grants, refuses, and wakes a waiter', async () => {
    // Where the pool listens, polling is so slow that the notification alone can have woken the waiter.
    const [one, other] = [await open(), await open()];
    const hold = await one.locks.lock('report').acquire();
    expect(await other.locks.lock('report').tryAcquire()).toBe(null);
    const waiting = other.locks.lock('report').acquire({ timeoutMs: 20_000 });
    await waitFor('it waits', async () => {
      const seen = await one.locks.inspector.describe('lock', 'report');
      return seen !== null && seen.waiters.count > 0;
    });
    await hold.release();
    const next = await waiting;
    expect(next.fence > hold.fence).toBe(true);
    await next.release();
    await one.close();
    await other.close();
  });

  test('has every synchronizer', async () => {
    const { locks, close } = await open();
    for (const [kind, use] of Object.entries(uses))
      await expect(use(locks, 'quotes \' " ` and $1 ? :name %s'), kind).resolves.not.toThrow();
    await close();
  });

  test('has the table lock of Spring', async () => {
    await ground().run(...ground().springTable);
    const { locks, close } = await open();
    const hold = await locks.tableLock('spring').acquire({ timeoutMs: 20_000 });
    await hold.extend(60_000);
    expect(await locks.tableLock('spring').tryAcquire()).toBe(null);
    await hold.release();
    await locks.tableLock('spring').run(() => undefined, { timeoutMs: 20_000 });
    await close();
  });

  test('renews a hold beyond its lease', async () => {
    const settings = { tablePrefix: newPrefix(), renewalLeaseMs: 1_000 };
    const [one, other] = [await open(settings), await open(settings)];
    const hold = await one.locks.lock('long').acquire();
    const until = performance.now() + 2_500;
    await waitFor('two leases are over', () => performance.now() > until);
    expect(await other.locks.lock('long').tryAcquire()).toBe(null);
    hold.throwIfLost();
    await hold.release();
    await one.close();
    await other.close();
  });

  test('tells the holder whose hold was broken', async () => {
    const { locks, close } = await open({ tablePrefix: newPrefix(), renewalLeaseMs: 1_000 });
    const hold = await locks.lock('broken').acquire();
    expect(await locks.inspector.forceRelease('lock', 'broken', { fence: hold.fence })).toBe(true);
    await waitFor('it is lost', () => hold.lost.aborted);
    expect(hold.lost.reason).toBeInstanceOf(LeaseLostError);
    await close();
  });

  describe('judges what the database answers', () => {
    /** Locks on tables that exist, so that the next acquisition is an update. */
    async function used(settings: OrmSettings): Promise<OpenedOrm> {
      const opened = await open(settings);
      await opened.locks.lock('used').run(() => undefined);
      return opened;
    }

    test('repeats after a deadlock', async () => {
      const tablePrefix = newPrefix();
      const { locks, close } = await used({ tablePrefix });
      await ground().run(...ground().failing(tablePrefix, 'deadlock', 2));
      await locks.lock('used').run(() => undefined);
      expect(await ground().changesTried(tablePrefix)).toBeGreaterThan(2);
      await close();
    });

    test.each(['full', 'read-only'] as const)('nothing was done if it is %s', async (answer) => {
      const tablePrefix = newPrefix();
      const { locks, close } = await used({ tablePrefix });
      await ground().run(...ground().failing(tablePrefix, answer, 1_000_000));
      const failed = await locks.lock('used').acquire().catch(identity);
      expect(failed).toBeInstanceOf(EngineError);
      expect(failed).toMatchObject({ retryable: true });
      expect(String(failed)).toContain(answer === 'full' ? 'refused the statement' : 'takes no writes');
      await close();
    });

    test('a user without the right', async () => {
      const tablePrefix = newPrefix();
      const first = await used({ tablePrefix });
      const user = `${tablePrefix}reader`;
      await ground().run(...ground().reader(user, PASSWORD, tablePrefix));
      const { locks, close } = await open({ tablePrefix }, ground().server.urlFor(user, PASSWORD));
      const failed = await locks.lock('used').acquire().catch(identity);
      expect(failed).toBeInstanceOf(EngineError);
      expect(failed).toMatchObject({ retryable: false });
      expect(String(failed)).toContain('does not permit it');
      expect(`${String(failed)} ${JSON.stringify(failed)}`).not.toContain(PASSWORD);
      await close();
      await first.close();
    });

    test('goes on after its connections were ended', async () => {
      const tablePrefix = newPrefix();
      const { locks, close } = await used({ tablePrefix });
      const hold = await locks.lock('kept').acquire();
      await ground().endConnections();
      await locks.lock('used').run(() => undefined, { timeoutMs: 20_000 });
      expect(hold.lost.aborted).toBe(false);
      await hold.release();
      await close();
    });
  });

  test('a transaction beside it neither blocks nor undoes a grant', async () => {
    const tablePrefix = newPrefix();
    const { locks, rollBack, addFenced, close } = await open({ tablePrefix });
    await ground().run(...accounts);
    let hold: Awaited<ReturnType<ReturnType<typeof locks.lock>['acquire']>> | undefined;
    const rolledBack = rollBack(async () => {
      hold = await locks.lock('beside').acquire({ timeoutMs: 20_000 });
    });
    await expect(rolledBack).rejects.toBe(ROLL_BACK);
    expect(await locks.lock('beside').tryAcquire()).toBe(null);
    expect(await balances()).toEqual([[100, 0]]);
    expect(await addFenced(1, 1, hold!.fence)).toBe(true);
    await hold!.release();
    await close();
  });

  test('refuses the write of an earlier holder, in its own transaction', async () => {
    const { locks, addFenced, close } = await open({ tablePrefix: newPrefix() });
    await ground().run(...accounts);
    const earlier = await locks.lock('account:1').run(({ fence }) => fence);
    await locks.lock('account:1').run(async ({ fence }) => {
      expect(await addFenced(1, 50, fence)).toBe(true);
      // A holder may write as often as it wants.
      expect(await addFenced(1, 7, fence)).toBe(true);
      expect(await addFenced(1, 1_000, earlier)).toBe(false);
      expect(await balances()).toEqual([[157, Number(fence)]]);
    });
    await close();
  });

  const accounts = [
    'drop table if exists accounts',
    'create table accounts (id int primary key, balance int not null, fence bigint not null default 0)',
    'insert into accounts (id, balance) values (1, 100)',
  ];

  async function balances(): Promise<readonly (readonly number[])[]> {
    const rows = await ground().run('select balance, fence from accounts');
    return rows.map((row) => row.map(Number));
  }
}

function identity(error: unknown): unknown {
  return error;
}
