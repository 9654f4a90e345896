import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { pages, read } from './documents.ts';

interface OtherBlock {
  readonly at: string;
  readonly code: string;
}

/** The blocks of a language that Node does not run, with their places. */
function blocksOf(language: string): readonly OtherBlock[] {
  return pages.flatMap((path) => {
    const text = read(path);
    return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(
      ({ 1: code = '', index }) => ({ at: `${path}:${text.slice(0, index).split('\n').length}`, code }),
    );
  });
}

test('every block of YAML is YAML', () => {
  const blocks = blocksOf('yaml');
  expect(blocks.length).toBeGreaterThan(0);
  const faults = blocks.flatMap(({ at, code }) =>
    parseAllDocuments(code).flatMap(({ errors }) => errors.map(({ message }) => `${at}: ${message}`)),
  );
  expect(faults).toEqual([]);
});

test('every block of JSON is JSON', () => {
  for (const { at, code } of blocksOf('json')) expect(() => JSON.parse(code), at).not.toThrow();
});

test('a shell can read every block of shell', () => {
  const blocks = blocksOf('sh');
  expect(blocks.length).toBeGreaterThan(10);
  // One shell for all of them: a function around each, so that none is run.
  const script = blocks.map(({ code }, at) => `block_${at}() {\n:\n${code}\n}\n`).join('');
  const { status, stderr } = spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});
