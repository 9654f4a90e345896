import fc from 'fast-check';
import type { Side } from '../../src/spi/verbs/read-write-lock.ts';
import { SHORT_PASSES_MS, unitsMs } from './model-time.ts';
import { type Fate, FATES } from './program-driver.ts';

/** What a random acquisition would like; each kind of thing that can be held takes from it what it knows. */
export interface Wish {
  readonly leaseUnits: number;
  /** Odd, because half of it decides something and must not be a whole unit. */
  readonly interestUnits: number;
  readonly wait: boolean;
  /** Let in by the client that gives it back, instead of asking for it. */
  readonly letIn: boolean;
  readonly permits: number;
  readonly side: Side;
  /** Ask for the read side under the id of a write one already has. */
  readonly under: boolean;
  /** Say that there are another number of permits in all. */
  readonly mistaken: boolean;
}

/** Something that a Java program does beside ours. Each kind makes of the numbers what it can. */
export interface JavaAction {
  readonly do: 'java';
  readonly turn: number;
  readonly which: number;
  readonly units: number;
}

/** Acquisitions are counted from the last that was begun; copies from the first that was sent. */
export type HoldingAction =
  | {
      readonly do: 'begin';
      readonly client: number;
      readonly wish: Wish;
      readonly fate: Fate;
      /** What becomes of the release that follows at once where the acquisition is refused or never answered. */
      readonly after: Fate;
    }
  | { readonly do: 'ask'; readonly which: number; readonly fate: Fate; readonly after: Fate }
  | { readonly do: 'release'; readonly which: number; readonly fate: Fate }
  | { readonly do: 'renew'; readonly which: number; readonly leaseUnits: number; readonly fate: Fate }
  | {
      readonly do: 'force';
      readonly client: number;
      readonly side: Side;
      readonly fence: 'any' | 'right' | 'wrong';
      readonly whose: number | undefined;
      readonly fate: Fate;
    }
  | { readonly do: 'raise'; readonly which: number; readonly byMs: number }
  | { readonly do: 'deliver'; readonly which: number }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'look'; readonly client: number }
  | JavaAction;

/** What a few clients do with one thing that can be held, in which order, and how time passes meanwhile. */
export interface HoldingProgram {
  /** A Java program has counted its fences here before, and keeps them without end. */
  readonly javaToken: boolean;
  readonly fencesKeptForEver: boolean;
  readonly actions: readonly HoldingAction[];
}

const named = <const T extends string>(...names: T[]) => fc.constantFrom(...names);
const which = fc.nat(5);
const client = fc.nat(2);
const units = fc.integer({ min: 1, max: 6 });
const side = named('read', 'write');
/** Most things go well. */
const fate = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Fate>('fine') },
  { weight: 3, arbitrary: fc.constantFrom(...FATES) },
);
/** What no client repeats once it is unknown. */
const knownFate = fc.constantFrom<Fate>('fine', 'fine', 'fine', 'answer-lost', 'overtaken');

const wish: fc.Arbitrary<Wish> = fc.record({
  leaseUnits: units,
  interestUnits: fc.constantFrom(1, 3, 5),
  wait: fc.constantFrom(true, true, false),
  letIn: fc.boolean(),
  permits: fc.integer({ min: 1, max: 3 }),
  side,
  under: fc.boolean(),
  mistaken: fc.constantFrom(false, false, false, false, true),
});

export const passes: fc.Arbitrary<{ readonly do: 'pass'; readonly ms: number }> = fc.record({
  do: named('pass'),
  ms: fc.oneof(fc.constantFrom(...SHORT_PASSES_MS), fc.integer({ min: 1, max: 4 }).map(unitsMs)),
});

const action: fc.Arbitrary<HoldingAction> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: named('begin'), client, wish, fate, after: fate }) },
  { weight: 4, arbitrary: fc.record({ do: named('ask'), which, fate, after: fate }) },
  { weight: 4, arbitrary: fc.record({ do: named('release'), which, fate }) },
  { weight: 2, arbitrary: fc.record({ do: named('renew'), which, leaseUnits: units, fate: knownFate }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: named('force'),
      client,
      side,
      fence: named('any', 'any', 'right', 'wrong'),
      whose: fc.constantFrom(undefined, undefined, 0, 1),
      fate: knownFate,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: named('raise'), which, byMs: fc.constantFrom(-1000, 1000, 3_600_000) }),
  },
  { weight: 4, arbitrary: fc.record({ do: named('deliver'), which }) },
  { weight: 4, arbitrary: passes },
  { weight: 1, arbitrary: fc.record({ do: named('look'), client }) },
  { weight: 4, arbitrary: fc.record({ do: named('java'), turn: fc.nat(5), which, units }) },
);

export const holdingPrograms: fc.Arbitrary<HoldingProgram> = fc.record({
  javaToken: fc.boolean(),
  fencesKeptForEver: fc.boolean(),
  actions: fc.array(action, { minLength: 3, maxLength: 40, size: 'max' }),
});
