import fc from 'fast-check';
import { TooSlow } from './difference.ts';

/** So many programs are under way at the same time: their commands travel together. */
const AT_ONCE = 48;
const TRIES = 5;

/** The seed of this run; set HOLDFAST_MODEL_SEED to run the same programs again. */
export const seed = Number(process.env['HOLDFAST_MODEL_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** How many programs are run of each kind. */
export const PROGRAMS = Number(process.env['HOLDFAST_MODEL_PROGRAMS'] ?? 1000);

type Run<P> = (program: P) => Promise<void>;

/** Runs it again when real time got in the way. */
async function decided<P>(run: Run<P>, program: P): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await run(program);
    } catch (error) {
      if (!(error instanceof TooSlow) || tries === TRIES) throw error;
    }
  }
}

async function errorOf(running: Promise<void>): Promise<unknown> {
  try {
    return await running;
  } catch (error) {
    return error;
  }
}

/** The first program that shows a difference, and its place. */
export async function firstDifference<P>(
  programs: readonly P[],
  run: Run<P>,
): Promise<{ readonly at: number; readonly error: unknown } | undefined> {
  for (let from = 0; from < programs.length; from += AT_ONCE) {
    const together = programs.slice(from, from + AT_ONCE);
    const errors = await Promise.all(together.map((program) => errorOf(run(program))));
    for (const [at, error] of errors.entries()) {
      // Alone it takes a fraction of the time.
      const found = error instanceof TooSlow ? await errorOf(decided(run, together[at]!)) : error;
      if (found !== undefined) return { at: from + at, error: found };
    }
  }
  return undefined;
}

/** The programs that a seed stands for. */
export function programsOf<P>(arbitrary: fc.Arbitrary<P>, count: number): readonly P[] {
  return fc.sample(arbitrary, { seed, numRuns: count });
}

/**
 * Runs random programs, many at a time. The first one that shows a difference is run again by itself and made as small
 * as it can be.
 */
export async function expectNoDifference<P>(arbitrary: fc.Arbitrary<P>, run: Run<P>): Promise<void> {
  const first = await firstDifference(programsOf(arbitrary, PROGRAMS), run);
  if (first === undefined) return;
  const property = fc.asyncProperty(arbitrary, (program) => decided(run, program));
  const smallest = await fc.check(property, { seed, path: String(first.at), numRuns: 1 });
  if (!smallest.failed) throw new Error(`only beside others: ${String(first.error)}`, { cause: first.error });
  const { counterexample, errorInstance } = smallest;
  const program = JSON.stringify(counterexample?.[0]);
  throw new Error(`program ${first.at} of seed ${seed}, made smaller: ${program}\n${String(errorInstance)}`, {
    cause: errorInstance,
  });
}
