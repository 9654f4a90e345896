import fc, { assert } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { latchRule } from '../../src/rules/latch.ts';
import type { LatchVerbs } from '../../src/spi/verbs/latch.ts';
import * as any from './any-order.ts';
import { World } from './world.ts';

const count = fc.nat(3);

const vocabulary: any.Vocabulary<LatchVerbs> = {
  trySetCount: [fc.record({ count }), []],
  countDown: [fc.record({ by: fc.integer({ min: 1, max: 3 }) }), []],
  reset: [fc.record({ count }), []],
};

describe('latch', () => {
  it('wakes every waiter by the step that opens it, and by no other', () => {
    assert(
      any.inAnyOrder(latchRule, vocabulary, {
        check: (before, { state, wake }) => {
          const opens = (before?.count ?? 0) > 0 && (state?.count ?? 0) === 0;
          expect(wake).toBe(opens ? 'anyone' : 'none');
        },
      }),
      { numRuns: 300 },
    );
  });

  it('is open until it is set, and open again when it has counted to zero', () => {
    const world = new World(latchRule);
    expect(world.look()).toStrictEqual({ count: 0, round: undefined });
    expect(world.step('countDown', { by: 1 })).toStrictEqual({ count: 0 });
    expect(world.state, 'counting down an open latch leaves no record').toBeUndefined();
    expect(world.step('trySetCount', { count: 2 })).toStrictEqual({ set: true });
    expect(world.step('trySetCount', { count: 9 })).toStrictEqual({ set: false });
    expect(world.step('countDown', { by: 1 })).toStrictEqual({ count: 1 });
    expect(world.sweep(), 'a client counts on it').toBe(false);
    expect(world.step('countDown', { by: 5 }), 'never below zero').toStrictEqual({ count: 0 });
    expect(world.sweep()).toBe(true);
    expect(world.step('trySetCount', { count: 1 })).toStrictEqual({ set: true });
  });

  it('can be reset to any count whatever it was', () => {
    const world = new World(latchRule);
    world.step('trySetCount', { count: 2 });
    expect(world.step('reset', { count: 5 })).toStrictEqual({ count: 5 });
    expect(world.step('reset', { count: 0 })).toStrictEqual({ count: 0 });
    expect(world.look().count).toBe(0);
  });

  it('is in the same round while it is closed, and in another one whenever it was open in between', () => {
    const rounds = new Set<number | undefined>();
    assert(
      any.inAnyOrder(latchRule, vocabulary, {
        check: (old, { state }) => {
          const [before, after] = [old?.count ?? 0, state?.count ?? 0];
          const closes = before === 0 && after > 0;
          // What an open latch remembers of its last round matters to no waiter.
          const isAnother = after > 0 && state?.round !== old?.round;
          expect(isAnother).toBe(closes);
          rounds.add(state?.round);
        },
      }),
      { numRuns: 300 },
    );
    expect(rounds.size).toBeGreaterThan(2);
  });

  it('is in another round also when its record has gone in between', () => {
    const world = new World(latchRule);
    world.step('trySetCount', { count: 1 });
    const { round } = world.look();
    world.step('countDown', { by: 1 });
    expect(world.sweep()).toBe(true);
    world.step('trySetCount', { count: 1 });
    expect(world.look().round).not.toBe(round);
  });
});
