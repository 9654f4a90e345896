import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  connect,
  type FencedLock,
  type Hold,
  type Leader,
  type Lock,
  multiLock,
  quorumLock,
  type Synchronizers,
} from 'holdfast';
import { memory } from 'holdfast/memory';
import type { ZooKeeperSynchronizers } from 'holdfast/zookeeper';

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
    expectTypeOf<ReturnType<Synchronizers<'lock'>['lock']>>().toEqualTypeOf<FencedLock>();
    // An engine whose locks can do more can be used wherever less is asked for, and never the other way round.
    expectTypeOf<Synchronizers<'lock'>>().toExtend<Synchronizers<'lock', Lock>>();
    expectTypeOf<Synchronizers<'lock', Lock>>().not.toExtend<Synchronizers<'lock'>>();
    expect(typeof locks.lock('types')).toBe('object');
  });

  test('zookeeper() has eight synchronizers, and locks without a fence that can be raised', () => {
    expectTypeOf<ZooKeeperSynchronizers>().not.toHaveProperty('permitSemaphore');
    expectTypeOf<ZooKeeperSynchronizers>().toHaveProperty('monitor');
    expectTypeOf<ReturnType<ZooKeeperSynchronizers['lock']>>().toEqualTypeOf<Lock>();
    expectTypeOf<ZooKeeperSynchronizers>().toExtend<Synchronizers<'lock' | 'semaphore', Lock>>();
    const open = () => connect('zookeeper://one:2181/app');
    expectTypeOf<Awaited<ReturnType<typeof open>>>().toEqualTypeOf<ZooKeeperSynchronizers>();
    expect(typeof open).toBe('function');
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
