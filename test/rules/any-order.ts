import { expect } from 'vitest';
import fc from 'fast-check';
import type { Facts, OwnerId, Rule, Step, Verbs } from '../../src/spi/rule.ts';
import { sessions } from './programs.ts';
import { clientOf, World } from './world.ts';

const OWNERS = ['a:1', 'a:2', 'b:1', 'c:1', 'd:1'] as const;

export const owner = fc.constantFrom<OwnerId>(...OWNERS);
export const shortMs = fc.integer({ min: 1, max: 30 });
export const ownerAsk = fc.record({ owner });
export const renewAsk = fc.record({ owner, leaseMs: shortMs });
export const acquireAsk = { owner, leaseMs: shortMs, interestMs: shortMs, wait: fc.boolean() };
export const forceAsk = fc.oneof(
  fc.constant({}),
  fc.record({ fence: fc.integer({ min: 999_999_999, max: 1_000_000_050 }) }),
);

/** For each verb: what can be asked, and the kinds of answer there are. Answers without a kind have an empty list. */
export type Vocabulary<V extends Verbs> = {
  readonly [K in keyof V]: readonly [ask: fc.Arbitrary<V[K]['ask']>, kinds: readonly string[]];
};

export type Check<S> = (before: S | undefined, step: Step<S, unknown>, facts: Facts) => void;

/**
 * Any verb by any client at any time: owners that are dead, that hold already, that left long ago. Whatever a late or
 * repeated message may bring about, the rule has an answer of a known kind for it.
 */
export function inAnyOrder<S, V extends Verbs, L>(
  rule: Rule<S, V, L>,
  vocabulary: Vocabulary<V>,
  { check = () => {}, steady = true }: { readonly check?: Check<S>; readonly steady?: boolean } = {},
): fc.IProperty<unknown> {
  const verbs = Object.keys(vocabulary);
  const move = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.constantFrom(...verbs).chain((verb) => fc.tuple(fc.constant(verb), vocabulary[verb]![0])),
    },
    { weight: 3, arbitrary: fc.tuple(fc.constant('pass'), fc.integer({ min: 0, max: 12 })) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom('stop', 'end'), owner.map(clientOf)) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('sweep'), fc.constant(null)) },
  );
  const moves = fc.array(move, { maxLength: 40, size: 'max' });
  return fc.property(sessions('any'), moves, (known, program) => {
    const world = new World(rule, known);
    world.steady = steady;
    world.heard = (step, before) => check(before, step, world.facts());
    for (const [what, detail] of program) {
      if (what === 'pass') world.now += detail as number;
      else if (what === 'stop' || what === 'end') world[what](detail as string);
      else if (what === 'sweep') world.sweep();
      else checkKnown(world.step(what, detail as object), vocabulary[what]![1]);
      JSON.stringify(world.look());
    }
  });
}

function checkKnown(answer: unknown, kinds: readonly string[]): void {
  expect(JSON.parse(JSON.stringify(answer)), 'an answer is plain JSON').toStrictEqual(answer);
  expect(kinds.length === 0 || kinds.includes((answer as { kind: string }).kind)).toBeTruthy();
}
