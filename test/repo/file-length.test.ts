import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { modulesUnder } from './module-names.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const MOST_LINES = 250;

/** One thing to a file: a longer one has a second thing in it. */
test(`no file of src/ is longer than ${MOST_LINES} lines`, () => {
  const written = modulesUnder('src').filter((path) => !path.endsWith('.generated.ts'));
  expect(written.length).toBeGreaterThan(500);
  const linesOf = (path: string): number =>
    readFileSync(root + path, 'utf8')
      .trimEnd()
      .split('\n').length;
  expect(written.filter((path) => linesOf(path) > MOST_LINES)).toEqual([]);
});
