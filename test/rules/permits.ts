import fc, { assert, property } from 'fast-check';
import { expect, it } from 'vitest';
import type { PermitsState, permitsRule } from '../../src/rules/permits.ts';
import type { Wake } from '../../src/spi/rule.ts';
import type { HoldingVerbs } from '../../src/spi/verbs/holding.ts';
import type { SemaphoreAsk, SemaphoreLook, TotalMismatch } from '../../src/spi/verbs/semaphore.ts';
import * as any from './any-order.ts';
import { asking } from './asking.ts';
import { type Kind, run } from './holding-run.ts';
import { programs } from './programs.ts';
import { type Sessions, World } from './world.ts';

type PermitsRule = ReturnType<typeof permitsRule>;
type PermitsVerbs = HoldingVerbs<SemaphoreAsk, TotalMismatch>;

const TOTAL = 3;

function permitsKind(
  rule: PermitsRule,
  endsWithSession: boolean,
): Kind<PermitsState, PermitsVerbs, SemaphoreLook, SemaphoreAsk> {
  return {
    rule,
    ask: (owner, { under: _under, side: _side, ...wish }) => ({ owner, ...wish, total: TOTAL }),
    acquire: (world, how, ask) => world[how]('acquire', ask),
    release: (world, { owner }) => world.step('release', { owner }),
    renew: (world, { owner }, leaseMs) => world.step('renew', { owner, leaseMs }),
    compatible: (asks) => asks.reduce((sum, { permits }) => sum + permits, 0) <= TOTAL,
    ordered: true,
    endsWithSession,
  };
}

const vocabulary: any.Vocabulary<PermitsVerbs> = {
  acquire: [
    fc.record({
      ...any.acquireAsk,
      permits: fc.integer({ min: 1, max: 4 }),
      total: fc.constantFrom(TOTAL, TOTAL, TOTAL, 2),
    }),
    ['granted', 'busy', 'mismatch'],
  ],
  release: [any.ownerAsk, ['released', 'not-held']],
  renew: [any.renewAsk, ['renewed', 'gone']],
};

export function permitsWorld(rule: PermitsRule, sessions?: Sessions) {
  const world = new World(rule, sessions);
  const wakes: Wake[] = [];
  world.heard = ({ wake }) => wakes.push(wake);
  const acquire = (owner: string, permits: number, more: object = {}) =>
    world.step('acquire', { ...asking(owner, { permits, total: TOTAL }), ...more });
  return { world, wakes, acquire };
}

/** What both semaphores promise. */
export function itSharesOutPermits(
  rule: PermitsRule,
  { endsWithSession }: { readonly endsWithSession: boolean },
): void {
  it('keeps its promises in any program', () => {
    const kind = permitsKind(rule, endsWithSession);
    assert(
      property(programs(), (program) => run(kind, program)),
      { numRuns: 600 },
    );
  });

  it('answers any verb at any time', () => {
    assert(any.inAnyOrder(rule, vocabulary), { numRuns: 300 });
  });

  it('lets no request overtake a large one, so that it does not starve', () => {
    const { acquire } = permitsWorld(rule);
    acquire('a:1', 1);
    expect(acquire('b:1', 3).kind).toBe('busy');
    expect(acquire('c:1', 1).kind, 'two are free, but one in front needs three').toBe('busy');
    expect(acquire('d:1', 1, { wait: false }).kind).toBe('busy');
  });

  it('wakes as many of the first in line as fit, and not the one behind who would', () => {
    const { world, wakes, acquire } = permitsWorld(rule);
    acquire('a:1', 3);
    for (const [owner, permits] of [
      ['b:1', 1],
      ['c:1', 1],
      ['d:1', 2],
      ['e:1', 1],
    ] as const)
      acquire(owner, permits);
    world.step('release', { owner: 'a:1' });
    expect(wakes.at(-1)).toStrictEqual(['b:1', 'c:1']);
  });

  it('grants waiters that were woken together in any order', () => {
    const { world, acquire } = permitsWorld(rule);
    acquire('a:1', 3);
    for (const owner of ['b:1', 'c:1']) acquire(owner, 1);
    world.step('release', { owner: 'a:1' });
    expect(acquire('c:1', 1).kind, 'the first in line still fits beside it').toBe('granted');
    expect(acquire('d:1', 2).kind, 'the first in line would not').toBe('busy');
    expect(acquire('b:1', 1).kind).toBe('granted');
  });

  it('wakes those behind a large request that leaves, and those behind one that has lapsed', () => {
    const { world, wakes, acquire } = permitsWorld(rule);
    acquire('a:1', 1, { leaseMs: 1000 });
    acquire('b:1', 3);
    for (const owner of ['c:1', 'd:1']) acquire(owner, 1);
    world.step('release', { owner: 'b:1' });
    expect(wakes.at(-1)).toStrictEqual(['c:1', 'd:1']);

    acquire('c:1', 1);
    acquire('d:1', 1);
    acquire('e:1', 3, { interestMs: 20 });
    acquire('f:1', 1);
    world.now += 30;
    expect(acquire('g:1', 1, { wait: false }).kind, 'two permits and a place have lapsed').toBe('granted');
    expect(wakes.at(-1)).toStrictEqual(['f:1']);
  });

  it('asks to come back as soon as the first of several holders can be gone', () => {
    const { world, acquire } = permitsWorld(rule);
    acquire('a:1', 1, { leaseMs: 10 });
    acquire('b:1', 2, { leaseMs: 25 });
    expect(acquire('c:1', 2)).toStrictEqual({ kind: 'busy', againInMs: 10 });
    // The longest lease ends early and tells no client, for three are not free yet.
    world.step('acquire', asking('d:1', { permits: 3, total: TOTAL }));
    expect(world.peek('acquire', asking('d:1', { permits: 3, total: TOTAL }))).toMatchObject({
      againInMs: 10,
    });
  });

  it('ends a lease exactly at its time', () => {
    const { world, acquire } = permitsWorld(rule);
    acquire('a:1', 3);
    const ask = asking('b:1', { permits: 1, total: TOTAL });
    expect(world.peek('acquire', ask, world.now + 29).kind).toBe('busy');
    expect(world.peek('acquire', ask, world.now + 30).kind).toBe('granted');
  });

  it('refuses another total, and more permits than there are, and leaves no record of it', () => {
    const { world, acquire } = permitsWorld(rule);
    expect(acquire('a:1', 4)).toStrictEqual({ kind: 'mismatch', total: 3 });
    expect(world.state).toBeUndefined();
    acquire('a:1', 1);
    expect(acquire('b:1', 1, { total: 5 })).toStrictEqual({ kind: 'mismatch', total: 3 });
    world.step('release', { owner: 'a:1' });
    expect(world.sweep()).toBe(true);
    expect(acquire('b:1', 1, { total: 5 }).kind).toBe('granted');
  });

  it('grants to no owner whose session has ended', () => {
    const { world, acquire } = permitsWorld(rule);
    world.end('a');
    expect(acquire('a:1', 1)).toStrictEqual({ kind: 'busy', againInMs: 30 });
    expect(world.state).toBeUndefined();
  });
}
