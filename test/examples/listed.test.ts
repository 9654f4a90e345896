import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { read, root } from './documents.ts';

const programs = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.ts'));

test('there are programs to copy', () => {
  expect(programs.length).toBeGreaterThanOrEqual(8);
});

describe.each(programs)('%s', (program) => {
  const text = read(`examples/${program}`);

  test('is listed, and has a test that runs it', () => {
    expect(read('examples/README.md')).toContain(`](${program})`);
    expect(existsSync(join(root, `test/examples/${program.replace(/\.ts$/, '.test.ts')}`))).toBeTruthy();
  });

  test('begins with what it shows and how to run it', () => {
    expect(text).toMatch(/^\/\/ \S/);
    expect(text.split('import ')[0]).toContain(`node ${program}`);
  });

  test('imports only what a user can: Node, Holdfast and clients', () => {
    const imported = [...text.matchAll(/ from '([^']+)'/g)].map(([, from]) => from);
    expect(imported.filter((from) => from?.startsWith('.'))).toEqual([]);
    expect(imported.some((from) => from?.startsWith('holdfast'))).toBeTruthy();
  });
});
