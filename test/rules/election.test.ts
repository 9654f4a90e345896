import fc, { assert, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { electionRule, type ElectionState } from '../../src/rules/election.ts';
import type { Facts, Wake } from '../../src/spi/rule.ts';
import type { ElectionVerbs } from '../../src/spi/verbs/election.ts';
import * as any from './any-order.ts';
import { asking } from './asking.ts';
import { exclusiveKind } from './exclusive-kind.ts';
import { run } from './holding-run.ts';
import { programs } from './programs.ts';
import { World } from './world.ts';

const kind = exclusiveKind(
  electionRule,
  (owner, { leaseMs, interestMs, wait }) => ({ owner, leaseMs, interestMs, wait, value: owner }),
  { ordered: true, observed: true },
);

const value = fc.constantFrom(null, 'here', 'there', { host: 'there', port: 1 });

const vocabulary: any.Vocabulary<ElectionVerbs> = {
  acquire: [fc.record({ ...any.acquireAsk, value }), ['granted', 'busy']],
  release: [any.ownerAsk, ['released', 'not-held']],
  renew: [any.renewAsk, ['renewed', 'gone']],
  proclaim: [fc.record({ owner: any.owner, value }), ['proclaimed', 'gone']],
  force: [any.forceAsk, ['forced', 'not-forced']],
};

/** What an observer sees of it. */
function seen(state: ElectionState | undefined, facts: Facts): string {
  const { leader } = electionRule.look(state, facts);
  return JSON.stringify([leader?.owner, leader?.fence, leader?.value]);
}

function electionWorld() {
  const world = new World(electionRule);
  const wakes: Wake[] = [];
  world.heard = ({ wake }) => wakes.push(wake);
  return { world, wakes };
}

describe('election', () => {
  it('keeps its promises in any program', () => {
    assert(
      property(programs(), (program) => run(kind, program)),
      { numRuns: 300 },
    );
  });

  it('wakes every watcher whenever leader or value change by a step, and never without', () => {
    assert(
      any.inAnyOrder(electionRule, vocabulary, {
        check: (before, { state, wake }, facts) => {
          expect(wake === 'anyone').toBe(seen(before, facts) !== seen(state, facts));
        },
      }),
      { numRuns: 300 },
    );
  });

  it('wakes observers for a leader, a value and a resignation, although the line is empty', () => {
    const { world, wakes } = electionWorld();
    world.step('acquire', asking('a:1', { value: 'one' }));
    world.step('proclaim', { owner: 'a:1', value: 'two' });
    world.step('release', { owner: 'a:1' });
    expect(wakes).toStrictEqual(['anyone', 'anyone', 'anyone']);
  });

  it('makes candidates leaders in the order in which they came', () => {
    const { world } = electionWorld();
    for (const owner of ['a:1', 'b:1', 'c:1']) world.step('acquire', asking(owner, { value: owner }));
    world.step('release', { owner: 'a:1' });
    expect(world.step('acquire', asking('c:1', { value: 'c:1' })).kind).toBe('busy');
    expect(world.step('acquire', asking('b:1', { value: 'b:1' })).kind).toBe('granted');
    expect(world.look()).toMatchObject({ leader: { owner: 'b:1', value: 'b:1' }, candidates: 1 });
  });

  it('does not bring back an old value when a campaign is repeated', () => {
    const { world, wakes } = electionWorld();
    world.step('acquire', asking('a:1', { value: 'old' }));
    world.step('proclaim', { owner: 'a:1', value: 'new' });
    world.step('acquire', asking('a:1', { value: 'old' }));
    expect(wakes.at(-1)).toBe('none');
    expect(world.look().leader?.value).toBe('new');
  });

  it('takes no value from an owner that does not lead any more', () => {
    const { world } = electionWorld();
    world.step('acquire', asking('a:1', { value: 'old' }));
    world.now += 30;
    expect(world.step('proclaim', { owner: 'a:1', value: 'late' })).toStrictEqual({ kind: 'gone' });
    expect(world.look().leader).toBeUndefined();
  });
});
