import { AsyncLocalStorage } from 'node:async_hooks';
import { inProcess } from '../../paces.ts';
import type { Trial, TrialContestant } from '../../trial.ts';
import { asyncLock } from '../libraries/sections-of-async-lock.ts';
import { runExclusive } from '../libraries/sections-of-async-mutex.ts';
import { holdfastRun } from '../libraries/sections-of-holdfast.ts';
import type { Sections } from '../sections.ts';

const SECTIONS_AT_ONCE = 1000;
const ours = holdfastRun.name;

/**
 * Every contestant runs in a program with one `AsyncLocalStorage` at work, as a request id in a log or a trace needs one: Node 20
 * then looks after each promise of the process, also of libraries that use none. `run` brings its own. Without it async-lock is more
 * than twice as fast, and no program that uses `run` is without it.
 */
function contestant({ name, open }: Sections): TrialContestant {
  return {
    name,
    open: async () => {
      const loop = await open();
      if (name !== ours) new AsyncLocalStorage().run('a request', () => undefined);
      const section = async (): Promise<void> => undefined;
      return {
        round: async (roundMs) => {
          const start = performance.now();
          let sections = 0;
          for (; performance.now() - start < roundMs; sections += SECTIONS_AT_ONCE)
            await loop('section', SECTIONS_AT_ONCE, section);
          return { 'sections/s': (sections / (performance.now() - start)) * 1000 };
        },
        close: async () => undefined,
      };
    },
  };
}

function atLeast(part: number, { name }: Sections): Trial['promises'][number] {
  return {
    text: `sections/s, ${ours} to ${name}`,
    of: [ours, name],
    value: (figureOf) => figureOf(ours, 'sections/s') / figureOf(name, 'sections/s'),
    bound: { atLeast: part },
    over: 'median',
  };
}

/** 0.59: at least a million in the time in which async-lock had 1.7 million. */
export const sectionsOfRun: Trial = {
  name: 'sections of run beside an AsyncLocalStorage',
  engine: 'memory',
  contestants: [holdfastRun, asyncLock, runExclusive].map(contestant),
  columns: [{ figure: 'sections/s', digits: 0 }],
  promises: [atLeast(0.59, asyncLock), atLeast(1, runExclusive)],
  pace: inProcess,
  story: {
    about:
      'A function that runs an empty section under a lock that no other caller wants, again and again. `run` of Holdfast knows inside ' +
      'the section that it is inside, and re-enters; async-lock waits for itself there without end, unless an option of its says to look. All run ' +
      'in a program with one `AsyncLocalStorage` at work, which `run` brings along and a request id in a log needs anyway.',
    figure: 'sections/s',
    better: 'more',
    ours,
  },
};
