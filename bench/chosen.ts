interface Named {
  readonly name: string;
  readonly engine: string;
}

/** The word in the names of all trials in which several owners want one lock. No other name contains it, except its contrary's. */
const CONTENDED = 'contended';
const CONTENDED_NAMES = 'waiters';

/**
 * Picks the trials whose name contains a part. A whole name picks that trial alone: "4 processes x 4 waiters" is also a part of
 * "fair lock, 4 processes x 4 waiters", and the command under a table must bring that table back.
 */
export function chosenOf<T extends Named>(all: readonly T[], scenario: string, engine: string): T[] {
  const exact = all.some(({ name }) => name === scenario);
  const part = scenario === CONTENDED ? CONTENDED_NAMES : scenario;
  const chosen = all.filter(
    (each) => (exact ? each.name === scenario : each.name.includes(part)) && each.engine.includes(engine),
  );
  if (chosen.length === 0) throw new RangeError('no scenario has that name and engine');
  return chosen;
}
