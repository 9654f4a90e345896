import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { modulesUnder } from './module-names.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const MOST_LINES = 250;
const MOST_FILES = 25;

/** One thing to a file: a longer one has a second thing in it. */
test(`no file of src/ or page/ is longer than ${MOST_LINES} lines`, () => {
  const written = [...modulesUnder('src'), ...modulesUnder('page')].filter(
    (path) => !path.endsWith('.generated.ts'),
  );
  expect(written.length).toBeGreaterThan(500);
  const linesOf = (path: string): number =>
    readFileSync(root + path, 'utf8')
      .trimEnd()
      .split('\n').length;
  expect(written.filter((path) => linesOf(path) > MOST_LINES)).toEqual([]);
});

/** A reader takes a folder in at a glance. Not counted: the Lua scripts of Redis, a list by synchronizer and verb. */
test(`no folder of src/ or page/ has more than ${MOST_FILES} modules`, () => {
  const counts = new Map<string, number>();
  for (const folder of [...modulesUnder('src'), ...modulesUnder('page')].map((path) => posix.dirname(path)))
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  expect(counts.size).toBeGreaterThan(80);
  expect([...counts].filter(([, count]) => count > MOST_FILES)).toEqual([]);
});
