import fc, { assert, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lockRule } from '../../src/rules/lock.ts';
import type { Wake } from '../../src/spi/rule.ts';
import type { LockVerbs } from '../../src/spi/verbs/lock.ts';
import * as any from './any-order.ts';
import { asking } from './asking.ts';
import { exclusiveKind } from './exclusive-kind.ts';
import { run } from './holding-run.ts';
import { programs } from './programs.ts';
import { World } from './world.ts';

const lockKind = (order: { readonly fair: boolean }) =>
  exclusiveKind(
    lockRule(order),
    (owner, { leaseMs, interestMs, wait, permits }) => ({
      owner,
      leaseMs,
      interestMs,
      wait,
      fences: permits,
    }),
    { ordered: order.fair },
  );

const anyMinHold = fc.record({
  ms: any.shortMs,
  fence: fc.integer({ min: 999_999_999, max: 1_000_000_050 }),
});

const vocabulary: any.Vocabulary<LockVerbs> = {
  acquire: [
    fc.record(
      { ...any.acquireAsk, fences: fc.integer({ min: 1, max: 64 }), minHoldMs: any.shortMs },
      { requiredKeys: ['owner', 'leaseMs', 'interestMs', 'wait', 'fences'] },
    ),
    ['granted', 'busy'],
  ],
  release: [
    fc.record({ owner: any.owner, minHold: anyMinHold }, { requiredKeys: ['owner'] }),
    ['released', 'not-held'],
  ],
  renew: [any.renewAsk, ['renewed', 'gone']],
  force: [any.forceAsk, ['forced', 'not-forced']],
  raise: [fc.record({ owner: any.owner, fence: fc.nat(2_000_000_000) }), ['raised', 'gone']],
};

function lockWorld(order: { readonly fair: boolean }, sessions?: { readonly ttlMs: number }) {
  const world = new World(lockRule(order), sessions);
  const wakes: Wake[] = [];
  world.heard = ({ wake }) => wakes.push(wake);
  return { world, wakes };
}

const one = { fences: 1 };

describe.each([{ fair: false }, { fair: true }])('lock, %o', (order) => {
  it('answers any verb at any time', () => {
    assert(any.inAnyOrder(lockRule(order), vocabulary), { numRuns: 300 });
  });

  it('ends a lease exactly at its time', () => {
    const times = fc.tuple(
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      fc.integer({ min: 2, max: 100_000 }),
    );
    const endsInTime = property(times, ([start, leaseMs]) => {
      const { world } = lockWorld(order);
      world.now += start;
      const until = world.now + leaseMs;
      world.step('acquire', { ...asking('a:1', one), leaseMs });
      expect(world.peek('acquire', asking('b:1', one), until - 1).kind).toBe('busy');
      expect(world.peek('acquire', asking('b:1', one), until).kind).toBe('granted');
    });
    assert(endsInTime, { numRuns: 300 });
  });

  it('reserves a block of fences and gives the next grant one beyond it', () => {
    const { world } = lockWorld(order);
    const first = world.step('acquire', asking('a:1', { fences: 5 }));
    world.step('release', { owner: 'a:1' });
    const second = world.step('acquire', asking('b:1', one));
    expect(first).toMatchObject({ kind: 'granted', fence: 1_000_000_000, fences: 5 });
    expect(second).toMatchObject({ kind: 'granted', fence: 1_000_000_005, fences: 1 });
  });

  it('gives no fence at or below one that a quorum has raised', () => {
    const { world } = lockWorld(order);
    world.step('acquire', asking('a:1', one));
    expect(world.step('raise', { owner: 'a:1', fence: 2e9 })).toMatchObject({ kind: 'raised' });
    world.step('release', { owner: 'a:1' });
    expect(world.step('acquire', asking('b:1', one))).toMatchObject({ fence: 2e9 + 1 });
  });

  it('breaks only the grant that was meant', () => {
    const { world } = lockWorld(order);
    world.step('acquire', asking('a:1', one));
    expect(world.step('force', { fence: 7 }).kind).toBe('not-forced');
    expect(world.step('force', { owner: 'b:1' }).kind).toBe('not-forced');
    expect(world.step('force', { fence: 1_000_000_000, owner: 'b:1' }).kind).toBe('not-forced');
    expect(world.step('force', { fence: 1_000_000_000, owner: 'a:1' })).toMatchObject({
      kind: 'forced',
      holder: { owner: 'a:1' },
    });
    expect(world.look().holder).toBeUndefined();
  });
});

describe.each([{ fair: false }, { fair: true }])('a hold that is to last, %o', (order) => {
  const lasting = (owner: string) => ({ ...asking(owner, one), leaseMs: 10, minHoldMs: 100 });
  const START = 1_000_000;

  it('stands for that long although it was released, under an owner that no request knows', () => {
    const { world, wakes } = lockWorld(order);
    const granted = world.step('acquire', lasting('a:1'));
    expect(granted).toMatchObject({ kind: 'granted', remainingMs: 100 });
    world.step('acquire', asking('b:1', one));
    world.now += 30;
    const minHold = { ms: 100, fence: START * 1000 };
    expect(world.step('release', { owner: 'a:1', minHold }).kind).toBe('released');
    expect(wakes.at(-1), 'the waiter has to learn the new end').not.toBe('none');
    expect(world.look().holder).toStrictEqual({ owner: 'a:1+kept', fence: START * 1000, remainingMs: 70 });
    // Late copies of its own requests.
    expect(world.step('renew', { owner: 'a:1', leaseMs: 500 }).kind).toBe('gone');
    expect(world.step('release', { owner: 'a:1', minHold }).kind).toBe('not-held');
    expect(world.step('acquire', lasting('a:1'))).toMatchObject({ kind: 'busy' });
    world.step('release', { owner: 'a:1' });
    const again = world.step('acquire', { ...asking('b:1', one), interestMs: 900 });
    expect(again).toMatchObject({ kind: 'busy', againInMs: 70 });
    expect(world.peek('acquire', asking('b:1', one), START + 99).kind).toBe('busy');
    expect(world.peek('acquire', asking('b:1', one), START + 100).kind).toBe('granted');
  });

  it('ends with a release after that time, and with one that does not ask for it', () => {
    const { world } = lockWorld(order);
    world.step('acquire', lasting('a:1'));
    expect(world.step('release', { owner: 'a:1' }).kind, 'a withdrawal').toBe('released');
    expect(world.look().holder).toBeUndefined();
    world.step('acquire', { ...lasting('a:2'), leaseMs: 500 });
    world.now += 100;
    world.step('release', { owner: 'a:2', minHold: { ms: 100, fence: START * 1000 } });
    expect(world.look().holder).toBeUndefined();
  });

  it('counts from now where the fence of its grant was ahead of the clock, and no longer', () => {
    const { world } = lockWorld(order);
    world.step('acquire', lasting('a:1'));
    world.step('release', { owner: 'a:1', minHold: { ms: 100, fence: START * 5000 } });
    expect(world.look().holder).toMatchObject({ remainingMs: 100 });
  });

  it('lasts to the fraction of a microsecond that its fence does not tell', () => {
    const { world } = lockWorld(order);
    world.now += 0.0009;
    const grantedAt = world.now;
    world.step('acquire', lasting('a:1'));
    world.now += 30;
    world.step('release', { owner: 'a:1', minHold: { ms: 100, fence: START * 1000 } });
    expect(world.peek('acquire', asking('b:1', one), START + 100).kind).toBe('busy');
    expect(world.peek('acquire', asking('b:1', one), grantedAt + 100).kind).toBe('granted');
  });

  it('stands although its session has ended, and not a moment longer', () => {
    const { world } = lockWorld(order, { ttlMs: 500 });
    world.step('acquire', { ...lasting('a:1'), leaseMs: 1000 });
    world.end('a');
    const asked = world.step('acquire', asking('b:1', one));
    expect(asked).toMatchObject({ kind: 'busy' });
    expect((asked as { againInMs: number }).againInMs).toBeLessThanOrEqual(100);
    expect(world.peek('acquire', asking('b:1', one), START + 99).kind).toBe('busy');
    expect(world.peek('acquire', asking('b:1', one), START + 100).kind).toBe('granted');
  });
});

describe('plain lock', () => {
  it('keeps its promises in any program', () => {
    assert(
      property(programs(), (program) => run(lockKind({ fair: false }), program)),
      { numRuns: 600 },
    );
  });

  it('wakes every waiter, and only if there is one', () => {
    const { world, wakes } = lockWorld({ fair: false });
    world.step('acquire', asking('a:1', one));
    world.step('release', { owner: 'a:1' });
    world.step('acquire', asking('a:2', one));
    world.step('acquire', asking('b:1', one));
    world.step('release', { owner: 'a:2' });
    expect(wakes).toStrictEqual(['none', 'none', 'none', 'none', 'anyone']);
  });
});

describe('fair lock', () => {
  it('keeps its promises in any program', () => {
    assert(
      property(programs(), (program) => run(lockKind({ fair: true }), program)),
      { numRuns: 600 },
    );
  });

  it('tells the next in line when the first leaves a free lock', () => {
    const { world, wakes } = lockWorld({ fair: true });
    for (const owner of ['a:1', 'b:1', 'c:1']) world.step('acquire', asking(owner, one));
    world.step('release', { owner: 'a:1' });
    expect(world.step('acquire', asking('c:1', one)).kind, 'the first in line has not come yet').toBe('busy');
    world.step('release', { owner: 'b:1' });
    expect(wakes).toStrictEqual(['none', 'none', 'none', ['b:1'], 'none', ['c:1']]);
  });

  it('wakes the next in line when a step finds the first one dead', () => {
    const { world, wakes } = lockWorld({ fair: true }, { ttlMs: 10 });
    for (const owner of ['a:1', 'b:1', 'c:1']) world.step('acquire', asking(owner, one));
    world.step('release', { owner: 'a:1' });
    world.stop('b');
    world.now += 10;
    expect(world.step('acquire', asking('d:1', one)).kind).toBe('busy');
    expect(wakes.at(-1)).toStrictEqual(['c:1']);
  });
});
