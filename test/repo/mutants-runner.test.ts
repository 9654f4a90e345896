import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { mutate } from '../../scripts/mutants/mutate.mjs';
import { narrowed } from '../../scripts/mutants/narrowed.mjs';

const ran = (name: string, ms: number, hasFailed = false) => ({
  name: `group ${name}`,
  title: name,
  ms,
  hasFailed,
});
const noticing = (ms: number, ...failed: string[]) => ({
  check: { file: 'test/core/wait.test.ts' },
  run: { isGreen: false, isTooLong: false, ms: 0, cases: failed.map((name) => ran(name, ms, true)) },
  cases: [ran('waits', ms), ran('waits long', ms)],
});

describe('the proposal for an entry of the table', () => {
  test('names the file alone where its cases are short, or where no case has failed', () => {
    expect(narrowed(noticing(100, 'waits long'))).toEqual({ tests: ['test/core/wait'] });
    expect(narrowed(noticing(10_000))).toEqual({ tests: ['test/core/wait'] });
  });

  test('names a case of a long file, with its group where the name alone means several', () => {
    expect(narrowed(noticing(10_000, 'waits long')).case).toBe('waits long');
    expect(narrowed(noticing(10_000, 'waits')).case).toBe('group waits');
  });
});

test('a mutant is written into the copy and taken out again, and one that fits twice is refused', () => {
  const copy = mkdtempSync(join(tmpdir(), 'holdfast-mutate-'));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  mkdirSync(join(copy, 'src'));
  const file = join(copy, 'src/one.ts');
  writeFileSync(file, 'const one = 1;\n');
  const mutant = {
    law: '1',
    what: 'one is two',
    file: 'src/one.ts',
    find: '= 1',
    replace: '= $&2',
    tests: [],
  };
  const restore = mutate(copy, mutant);
  expect(readFileSync(file, 'utf8')).toBe('const one = $&2;\n');
  restore();
  expect(readFileSync(file, 'utf8')).toBe('const one = 1;\n');
  expect(() => mutate(copy, { ...mutant, find: 'n' })).toThrow('src/one.ts has 2 times: n');
});
