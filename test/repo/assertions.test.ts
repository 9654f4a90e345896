import { expect, test } from 'vitest';
import { importedNames, modulesUnder } from './module-names.ts';

/**
 * Random programs of the rules assert at each of their steps, millions of times in a run: by `expect` the tests of the rules take
 * twice as long (84 s instead of 39 s).
 */
const RANDOM_PROGRAMS = ['barrier-run.ts', 'buffer-run.ts', 'holding-run.ts', 'world.ts'].map(
  (name) => `test/rules/${name}`,
);

/** Another language of assertions: that of Node, or that of chai under the name that vitest gives it. */
function usesAnotherLanguage(path: string): boolean {
  return importedNames(path).some(
    ({ from, name }) => /^(?:node:)?assert\b|^chai$/.test(from) || (from === 'vitest' && name === 'assert'),
  );
}

/** Programs that other runtimes run, where there is no vitest. */
const OUTSIDE_VITEST = ['sqlite', 'store', 'suites'].map((name) => `test/runtimes/programs/${name}.ts`);

test('the tests assert by expect', () => {
  const modules = modulesUnder('test');
  expect(modules.length).toBeGreaterThan(300);
  expect(modules.filter(usesAnotherLanguage)).toEqual([...RANDOM_PROGRAMS, ...OUTSIDE_VITEST]);
});
