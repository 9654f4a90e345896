interface Named {
  readonly name: string;
  readonly engine: string;
}

/** What all are called in which several want the same thing. No name has it in it but that of its contrary. */
const CONTENDED = 'contended';
const CONTENDED_NAMES = 'waiters';

/**
 * Those that a part of a name picks out. A whole name picks out nothing else: "4 processes x 4 waiters" is also a part of
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
