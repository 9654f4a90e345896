import fc, { assert, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { barrierRule } from '../../src/rules/barrier.ts';
import type { Wake } from '../../src/spi/rule.ts';
import type { BarrierVerbs } from '../../src/spi/verbs/barrier.ts';
import * as any from './any-order.ts';
import { barrierPrograms, runBarrier } from './barrier-run.ts';
import { World } from './world.ts';

const vocabulary: any.Vocabulary<BarrierVerbs> = {
  arrive: [
    fc.record({
      owner: any.owner,
      parties: fc.constantFrom(3, 3, 3, 2),
      interestMs: any.shortMs,
      first: fc.boolean(),
    }),
    ['waiting', 'tripped', 'broken', 'mismatch'],
  ],
  leave: [
    fc.record({ owner: any.owner, reason: fc.constantFrom('timeout', 'aborted') }),
    ['tripped', 'broken', 'absent'],
  ],
  reset: [fc.constant({}), []],
};

function barrierWorld(sessions?: { readonly ttlMs: number }) {
  const world = new World(barrierRule, sessions);
  const wakes: Wake[] = [];
  world.heard = ({ wake }) => wakes.push(wake);
  const arrive = (owner: string, more: object = {}) =>
    world.step('arrive', { owner, parties: 3, interestMs: 30, first: true, ...more });
  const ask = (owner: string) => arrive(owner, { first: false });
  return { world, wakes, arrive, ask };
}

describe('barrier', () => {
  it('tells every party the truth, in any program', () => {
    assert(property(barrierPrograms, runBarrier), { numRuns: 600 });
  });

  it('answers any verb at any time', () => {
    assert(any.inAnyOrder(barrierRule, vocabulary), { numRuns: 300 });
  });

  it('trips when the last party arrives, and wakes the others', () => {
    const { wakes, arrive, ask } = barrierWorld();
    expect(arrive('a:1')).toStrictEqual({ kind: 'waiting', generation: 0, againInMs: 10 });
    arrive('b:1');
    expect(arrive('c:1')).toStrictEqual({ kind: 'tripped', generation: 0, index: 0 });
    expect(wakes).toStrictEqual(['none', 'none', ['a:1', 'b:1']]);
    expect(ask('a:1')).toStrictEqual({ kind: 'tripped', generation: 0, index: 2 });
    expect(ask('b:1')).toStrictEqual({ kind: 'tripped', generation: 0, index: 1 });
  });

  it('counts a party once, however often its arrival is repeated', () => {
    const { world, arrive } = barrierWorld();
    arrive('a:1');
    arrive('a:1');
    expect(arrive('a:1').kind).toBe('waiting');
    expect(world.look().waiting).toBe(1);
  });

  it('tells a slow party how its generation went after the next has begun', () => {
    const { world, arrive, ask } = barrierWorld();
    for (const owner of ['a:1', 'b:1', 'c:1']) arrive(owner);
    arrive('b:2');
    world.step('leave', { owner: 'b:2', reason: 'timeout' });
    world.now += 29;
    expect(ask('a:1')).toStrictEqual({ kind: 'tripped', generation: 0, index: 2 });
    expect(arrive('b:3')).toStrictEqual({ kind: 'broken', generation: 1, reason: 'timeout' });
  });

  it('does not count a party as present that was away for longer than its interest', () => {
    const { world, arrive, ask } = barrierWorld();
    for (const owner of ['a:1', 'b:1', 'c:1']) arrive(owner);
    world.now += 30;
    expect(ask('a:1')).toStrictEqual({ kind: 'broken', generation: 1, reason: 'dead-party' });
    expect(world.look().waiting).toBe(0);
  });

  it('is broken by a party that lapses, at its time exactly', () => {
    const { world, wakes, arrive, ask } = barrierWorld();
    arrive('a:1', { interestMs: 20 });
    expect(arrive('b:1')).toMatchObject({ againInMs: 10 });
    world.now += 19;
    expect(ask('b:1').kind).toBe('waiting');
    world.now += 1;
    expect(arrive('c:1')).toStrictEqual({ kind: 'broken', generation: 0, reason: 'dead-party' });
    expect(wakes.at(-1)).toStrictEqual(['a:1', 'b:1']);
    expect(ask('a:1'), 'it lives after all').toStrictEqual({
      kind: 'broken',
      generation: 0,
      reason: 'dead-party',
    });
  });

  it('is broken by a party whose session ends', () => {
    const { world, wakes, arrive, ask } = barrierWorld({ ttlMs: 5 });
    arrive('a:1');
    world.stop('a');
    expect(arrive('b:1')).toMatchObject({ againInMs: 5 });
    arrive('c:1', { parties: 4 });
    world.now += 5;
    expect(ask('b:1')).toStrictEqual({ kind: 'broken', generation: 0, reason: 'dead-party' });
    expect(wakes.at(-1)).toBe('none');
  });

  it('is broken for all by one that leaves, and stays broken until it is reset', () => {
    const { world, wakes, arrive, ask } = barrierWorld();
    arrive('a:1');
    arrive('b:1');
    const broken = { kind: 'broken', generation: 0, reason: 'aborted' };
    expect(world.step('leave', { owner: 'a:1', reason: 'aborted' })).toStrictEqual(broken);
    expect(wakes.at(-1)).toStrictEqual(['b:1']);
    expect(world.step('leave', { owner: 'a:1', reason: 'timeout' }), 'asked again').toStrictEqual(broken);
    expect(ask('b:1')).toStrictEqual(broken);
    expect(arrive('c:1')).toStrictEqual(broken);
    world.now += 100;
    expect(world.sweep(), 'parties that come late must learn of it').toBe(false);
    expect(world.step('reset', {})).toStrictEqual({ generation: 1 });
    expect(arrive('c:2')).toMatchObject({ kind: 'waiting', generation: 1 });
  });

  it('answers a leave with the outcome when that came first', () => {
    const { world, arrive } = barrierWorld();
    for (const owner of ['a:1', 'b:1', 'c:1']) arrive(owner);
    const left = world.step('leave', { owner: 'a:1', reason: 'timeout' });
    expect(left).toStrictEqual({ kind: 'tripped', generation: 0, index: 2 });
    expect(world.look().broken).toBeUndefined();
    expect(world.step('leave', { owner: 'z:1', reason: 'timeout' })).toStrictEqual({ kind: 'absent' });
  });

  it('starts a new generation by a reset, which wakes the waiting parties', () => {
    const { world, wakes, arrive, ask } = barrierWorld();
    arrive('a:1');
    expect(world.step('reset', {})).toStrictEqual({ generation: 1 });
    expect(wakes.at(-1)).toStrictEqual(['a:1']);
    expect(arrive('b:1')).toMatchObject({ kind: 'waiting', generation: 1 });
    expect(ask('a:1')).toStrictEqual({ kind: 'broken', generation: 0, reason: 'reset' });
  });

  it('refuses another number of parties', () => {
    const { arrive } = barrierWorld();
    arrive('a:1');
    expect(arrive('b:1', { parties: 2 })).toStrictEqual({ kind: 'mismatch', parties: 3 });
  });

  it('may go when no party waits and all have had time to learn the outcome', () => {
    const { world, arrive } = barrierWorld();
    for (const owner of ['a:1', 'b:1', 'c:1']) arrive(owner);
    expect(world.sweep()).toBe(false);
    world.now += 30;
    expect(world.sweep()).toBe(true);
  });
});
