import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';
import { modulesUnder } from './module-names.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The exported declarations of a module that have no comment before them, as `path:line`. */
function undocumented(path: string): readonly string[] {
  const text = readFileSync(join(root, path), 'utf8');
  return parseSync(path, text)
    .program.body.filter((node) => node.type === 'ExportNamedDeclaration' && node.declaration !== null)
    .map(({ start }) => text.slice(0, start).trimEnd())
    .filter((before) => !before.endsWith('*/'))
    .map((before) => `${path}:${before.split('\n').length + 1}`);
}

test('every symbol that src/spi exports is documented', () => {
  expect(modulesUnder('src/spi').flatMap(undocumented)).toEqual([]);
});

test('so are those of the kernels that every engine calls', () => {
  const files = ['assemble', 'context', 'engine-options', 'kinds'].map((name) => `src/kernels/${name}.ts`);
  expect(files.flatMap(undocumented)).toEqual([]);
});
