import fc from 'fast-check';
import type { Side } from '../../src/spi/verbs/read-write-lock.ts';
import type { Sessions } from './world.ts';

/** What a random acquisition would like; each kind of thing that can be held takes from it what it knows. */
export interface Wish {
  readonly leaseMs: number;
  readonly interestMs: number;
  readonly wait: boolean;
  readonly permits: number;
  readonly side: Side;
  /** Ask under the id of a hold one already has, where that is allowed. */
  readonly under: boolean;
}

/** What is done to an acquisition that was begun before. */
export type ActionOnOne = { readonly which: number } & (
  | { readonly do: 'ask' }
  | { readonly do: 'release' }
  | { readonly do: 'renew'; readonly leaseMs: number }
  | { readonly do: 'force'; readonly exact: boolean }
);

export type Action =
  | ActionOnOne
  | { readonly do: 'begin'; readonly client: number; readonly wish: Wish }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'stop' | 'end'; readonly client: number }
  | { readonly do: 'sweep' };

/** What a few clients do with one thing that can be held, in which order, and how time passes meanwhile. */
export interface Program {
  readonly sessions: Sessions;
  readonly clients: number;
  readonly actions: readonly Action[];
}

/** In `calm` weather no client's time runs out and no client dies unnoticed: whatever happens is a step. */
export type Weather = 'any' | 'calm';

const ms = (min: number, max: number) => fc.integer({ min, max });
const named = <const T extends string>(...names: T[]) => fc.constantFrom(...names);

function wishes(weather: Weather): fc.Arbitrary<Wish> {
  const calm = weather === 'calm';
  return fc.record({
    leaseMs: calm ? fc.constant(100_000) : ms(1, 30),
    interestMs: calm ? fc.constant(100_000) : ms(6, 60),
    wait: calm ? fc.constant(true) : fc.constantFrom(true, true, true, false),
    permits: ms(1, 3),
    side: named('read', 'write'),
    under: fc.boolean(),
  });
}

function actions(weather: Weather): fc.Arbitrary<Action> {
  const which = fc.nat(7);
  const client = fc.nat(4);
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: named('begin'), client, wish: wishes(weather) }) },
    { weight: 6, arbitrary: fc.record({ do: named('ask'), which }) },
    { weight: 3, arbitrary: fc.record({ do: named('release'), which }) },
    { weight: 2, arbitrary: fc.record({ do: named('renew'), which, leaseMs: ms(1, 30) }) },
    { weight: 1, arbitrary: fc.record({ do: named('force'), which, exact: fc.boolean() }) },
    { weight: 5, arbitrary: fc.record({ do: named('pass'), ms: ms(0, 9) }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: weather === 'calm' ? named('end') : named('stop', 'end'), client }),
    },
    { weight: 1, arbitrary: fc.record({ do: named('sweep') }) },
  );
}

export function sessions(weather: Weather): fc.Arbitrary<Sessions> {
  return weather === 'calm'
    ? fc.constant('unknown')
    : fc.constantFrom<Sessions>('unknown', { ttlMs: 8 }, { ttlMs: 25 });
}

export function programs(weather: Weather = 'any'): fc.Arbitrary<Program> {
  return fc.record({
    sessions: sessions(weather),
    clients: ms(2, 5),
    actions: fc.array(actions(weather), { minLength: 5, maxLength: 60, size: 'max' }),
  });
}
