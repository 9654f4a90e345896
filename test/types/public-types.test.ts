import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  connect,
  type FencedLock,
  type TimedLock,
  type Hold,
  type Inspector,
  type Leader,
  type Lock,
  type Locks,
  multiLock,
  quorumLock,
  type Synchronizers,
} from 'holdfast';
import { memory } from 'holdfast/memory';
import type { MysqlOptions } from 'holdfast/mysql';
import type { PostgresOptions } from 'holdfast/postgres';
import type { RedisOptions } from 'holdfast/redis';
import type { EtcdSynchronizers } from 'holdfast/etcd';
import type { ZooKeeperSynchronizers } from 'holdfast/zookeeper';
import type * as ioredis from 'ioredis';
import type * as ioredis5 from 'ioredis-5';
import type * as iovalkey from 'iovalkey';
import type * as mariadb from 'mariadb';
import type * as mysql2 from 'mysql2';
import type * as mysql2Promise from 'mysql2/promise';
import type pg from 'pg';
import type postgresJs from 'postgres';
import type * as nodeRedis from 'redis';
import type * as nodeRedis5 from 'redis-5';

const locks = memory();

// Checked by `npm run check:types`; vitest runs them only so that they cannot be forgotten.
describe('the public types', () => {
  test('an engine that lacks a synchronizer lacks its factory', () => {
    expectTypeOf<Synchronizers<'lock' | 'latch'>>().toHaveProperty('lock');
    expectTypeOf<Synchronizers<'lock' | 'latch'>>().not.toHaveProperty('semaphore');
    expectTypeOf<Synchronizers<'lock' | 'latch'>>().toHaveProperty('close');
    expectTypeOf(locks).toHaveProperty('monitor');
    expect(locks).toBeTruthy();
  });

  test('an engine may offer locks without a fence that can be raised', () => {
    type Unraised = Synchronizers<'lock' | 'fairLock' | 'latch', Lock>;
    expectTypeOf<ReturnType<Unraised['lock']>>().toEqualTypeOf<Lock>();
    expectTypeOf<ReturnType<Unraised['fairLock']>>().not.toHaveProperty('raiseFence');
    expectTypeOf<ReturnType<Synchronizers<'lock'>['lock']>>().toEqualTypeOf<TimedLock>();
    expectTypeOf<TimedLock>().toExtend<FencedLock>();
    // An engine whose locks can do more can be used wherever less is asked for, and never the other way round.
    expectTypeOf<Synchronizers<'lock'>>().toExtend<Synchronizers<'lock', Lock>>();
    expectTypeOf<Synchronizers<'lock', Lock>>().not.toExtend<Synchronizers<'lock'>>();
    expect(typeof locks.lock('types')).toBe('object');
  });

  test('etcd() has all synchronizers, and locks without a fence that can be raised', () => {
    expectTypeOf<EtcdSynchronizers>().toHaveProperty('permitSemaphore');
    expectTypeOf<ReturnType<EtcdSynchronizers['lock']>>().toEqualTypeOf<Lock>();
    const open = () => connect('etcd://one:2379');
    expectTypeOf<Awaited<ReturnType<typeof open>>>().toEqualTypeOf<EtcdSynchronizers>();
  });

  test('zookeeper() has eight synchronizers, and locks without a fence that can be raised', () => {
    expectTypeOf<ZooKeeperSynchronizers>().not.toHaveProperty('permitSemaphore');
    expectTypeOf<ZooKeeperSynchronizers>().toHaveProperty('monitor');
    expectTypeOf<ReturnType<ZooKeeperSynchronizers['lock']>>().toEqualTypeOf<Lock>();
    type Options = NonNullable<Parameters<ReturnType<ZooKeeperSynchronizers['lock']>['acquire']>[0]>;
    expectTypeOf<Options>().not.toHaveProperty('minHoldMs');
    expectTypeOf<NonNullable<Parameters<TimedLock['acquire']>[0]>>().toHaveProperty('minHoldMs');
    expectTypeOf<ZooKeeperSynchronizers>().toExtend<Synchronizers<'lock' | 'semaphore', Lock>>();
    const open = () => connect('zookeeper://one:2181/app');
    expectTypeOf<Awaited<ReturnType<typeof open>>>().toEqualTypeOf<ZooKeeperSynchronizers>();
    expect(typeof open).toBe('function');
  });

  test('connect takes an address from the environment, with the settings of its engine', () => {
    const fromEnvironment = (url: string) => connect(url, { keyPrefix: 'app:', commandTimeoutMs: 500 });
    expectTypeOf(fromEnvironment).returns.resolves.toEqualTypeOf<Locks>();
    expectTypeOf<Locks>().toExtend<Synchronizers>();
    expectTypeOf<Locks['inspector']>().toEqualTypeOf<Inspector>();
    const here = () => connect();
    expectTypeOf(here).returns.resolves.toEqualTypeOf<Locks>();
    // @ts-expect-error a variable may not be set, and `undefined` is no address
    const unset = () => connect(process.env['REDIS_URL']);
    // @ts-expect-error the address is an argument of its own
    const inside = () => connect({ url: 'redis://host' });
    // @ts-expect-error no engine has this setting
    const misspelt = (url: string) => connect(url, { keyprefix: 'app:' });
    expect([unset, inside, misspelt]).toHaveLength(3);
  });

  test('a client or pool is typed by its shape, whatever copy of its package it is of', () => {
    expectTypeOf<ioredis.Redis>().toExtend<RedisOptions['client']>();
    expectTypeOf<ioredis.Cluster>().toExtend<RedisOptions['client']>();
    expectTypeOf<ioredis5.Redis>().toExtend<RedisOptions['client']>();
    expectTypeOf<ioredis5.Cluster>().toExtend<RedisOptions['client']>();
    expectTypeOf<iovalkey.Redis>().toExtend<RedisOptions['client']>();
    expectTypeOf<iovalkey.Cluster>().toExtend<RedisOptions['client']>();
    expectTypeOf<ReturnType<typeof nodeRedis.createClient>>().toExtend<RedisOptions['client']>();
    expectTypeOf<ReturnType<typeof nodeRedis.createCluster>>().toExtend<RedisOptions['client']>();
    expectTypeOf<ReturnType<typeof nodeRedis.createSentinel>>().toExtend<RedisOptions['client']>();
    expectTypeOf<ReturnType<typeof nodeRedis5.createClient>>().toExtend<RedisOptions['client']>();
    expectTypeOf<pg.Pool>().toExtend<PostgresOptions['pool']>();
    expectTypeOf<ReturnType<typeof postgresJs>>().toExtend<PostgresOptions['pool']>();
    expectTypeOf<mysql2.Pool>().toExtend<MysqlOptions['pool']>();
    expectTypeOf<mysql2Promise.Pool>().toExtend<MysqlOptions['pool']>();
    expectTypeOf<mariadb.Pool>().toExtend<MysqlOptions['pool']>();
    type QueryOf<T> = (text: string, values: unknown[]) => Promise<T>;
    expectTypeOf<QueryOf<unknown[]>>().toExtend<PostgresOptions['pool'] & MysqlOptions['pool']>();
    expect(Object.keys(locks)).toContain('lock');
  });

  test('what is no client and no pool is refused by the editor', () => {
    expectTypeOf<pg.Client>().not.toExtend<PostgresOptions['pool']>();
    expectTypeOf<string>().not.toExtend<PostgresOptions['pool']>();
    expectTypeOf<object>().not.toExtend<MysqlOptions['pool']>();
    expectTypeOf<pg.Pool>().not.toExtend<MysqlOptions['pool']>();
    expectTypeOf<pg.Pool>().not.toExtend<RedisOptions['client']>();
    expectTypeOf<string>().not.toExtend<RedisOptions['client']>();
    expectTypeOf<Promise<ReturnType<typeof nodeRedis.createClient>>>().not.toExtend<RedisOptions['client']>();
    expectTypeOf<undefined>().not.toExtend<RedisOptions['client']>();
    expect(Object.keys(locks)).toContain('semaphore');
  });

  test('traits are literal', () => {
    expectTypeOf(locks.traits.crash).toEqualTypeOf<'session'>();
    expectTypeOf(locks.traits.scope).toEqualTypeOf<'process'>();
    expect(locks.traits.crash).toBe('session');
  });

  test('a quorum has a fence only if its members can prove it', () => {
    const { read } = locks.readWriteLock('types');
    type FencedHold = Awaited<ReturnType<ReturnType<typeof quorumLock<FencedLock>>['acquire']>>;
    type PlainHold = Awaited<ReturnType<ReturnType<typeof quorumLock<Lock>>['acquire']>>;
    expectTypeOf<FencedHold>().toEqualTypeOf<Hold>();
    expectTypeOf<PlainHold>().not.toHaveProperty('fence');
    expectTypeOf<PlainHold>().toHaveProperty('lost');
    expectTypeOf(quorumLock([read])).not.toEqualTypeOf(quorumLock([locks.lock('types')]));
    expect(read).toBeTruthy();
  });

  test('a multi-lock has fences, not one fence', async () => {
    const hold = await multiLock([locks.lock('types')]).acquire();
    expectTypeOf(hold.fences).toEqualTypeOf<readonly bigint[]>();
    expectTypeOf(hold).not.toHaveProperty('fence');
    await hold.release();
  });

  test('the state of a monitor and the value of a leader are typed', async () => {
    interface Shelf {
      readonly items: string[];
    }
    const shelf = locks.monitor<Shelf>('types', { initial: { items: [] } });
    await shelf.run((m) => {
      expectTypeOf(m.state).toEqualTypeOf<Shelf>();
      // @ts-expect-error a shelf has items
      expect(() => m.set(undefined)).toThrow(TypeError);
    });
    expectTypeOf(await shelf.peek()).toEqualTypeOf<Shelf>();
    expectTypeOf(await locks.election<{ host: string }>('types').leader()).toEqualTypeOf<Leader<{
      host: string;
    }> | null>();
  });

  test('run answers what its function answers', async () => {
    expectTypeOf(await locks.lock('types').run(() => 42)).toEqualTypeOf<number>();
    expectTypeOf(await locks.lock('types').run(async () => 'done')).toEqualTypeOf<string>();
    expectTypeOf(await locks.lock('types').tryAcquire()).toEqualTypeOf<Hold | null>();
  });

  test('a misspelt option does not compile', async () => {
    // @ts-expect-error it is timeoutMs
    await expect(locks.lock('types').acquire({ timeout: 5 })).rejects.toMatchObject({ code: 'BAD_ARGUMENT' });
  });
});
