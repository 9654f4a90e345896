import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { describe, expect, test } from 'vitest';
import { COMMAND_SPECS } from '../../src/cli/commands/spec.ts';
import type { CommandSpec } from '../../src/cli/commands/command-spec.ts';
import { ALL_KINDS, wordOf } from '../../src/cli/kind-words.ts';
import { memory } from '../../src/engines/memory/index.ts';
import { ruleBook } from '../../src/kernels/cells/rule-book.ts';
import { kinds } from '../../src/kernels/kinds.ts';
import { type Kind, KINDS } from '../../src/spi/kinds.ts';
import { suites } from '../../src/testing/index.ts';
import { modulesUnder } from './module-names.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const names = Object.keys(KINDS) as Kind[];

/** The two lists that a new synchronizer touches, and the one that the compiler then asks for: its suite. */
const LISTS = ['src/kernels/kinds.ts', 'src/spi/kinds.ts', 'src/testing/suites/suites.ts'];

describe('from the list of types and the list of values follows', () => {
  test.each([
    ['the list of values itself', Object.keys(kinds)],
    ['the rules', Object.keys(ruleBook)],
    ['the suites', Object.keys(suites)],
    ['the kinds of the command line', ALL_KINDS],
  ])('%s', (_what, list) => {
    expect(list).toEqual(names);
  });

  test('what an engine object offers, and what its inspector describes', async () => {
    const locks = memory();
    expect(names.filter((kind) => typeof locks[kind] !== 'function')).toEqual([]);
    expect(await Promise.all(names.map((kind) => locks.inspector.describe(kind, 'x')))).toEqual(
      names.map(() => null),
    );
    await locks.close();
  });

  test('what --as of the command line takes', () => {
    const { options }: CommandSpec = COMMAND_SPECS.inspect;
    expect(options['as']?.choices).toEqual(names.map(wordOf));
  });

  test('a page for each, which the index of the pages links to', () => {
    const pages = names.map((kind) => `api/${wordOf(kind)}.md`);
    const index = readFileSync(join(root, 'docs/README.md'), 'utf8');
    expect(pages.filter((page) => !existsSync(join(root, 'docs', page)))).toEqual([]);
    expect(pages.filter((page) => !index.includes(`](${page})`))).toEqual([]);
  });
});

test('no other list in src names every kind', () => {
  const found = modulesUnder('src').filter((path) => {
    const { program } = parseSync(path, readFileSync(join(root, path), 'utf8'));
    return listsIn(program).some((list) => names.every((kind) => list.includes(kind)));
  });
  expect(found).toEqual(LISTS);
});

interface Syntax {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** The words of every object, array, interface, union and switch: one list of words for each. */
function listsIn(value: unknown): readonly (readonly unknown[])[] {
  if (Array.isArray(value)) return value.flatMap(listsIn);
  if (!isSyntax(value)) return [];
  const own = [value['properties'], value['elements'], value['body'], value['types'], value['cases']]
    .filter((list) => Array.isArray(list))
    .map((list) => (list as readonly unknown[]).map(wordIn));
  return [...own, ...Object.values(value).flatMap(listsIn)];
}

/** The key of a property, the text of a literal, the test of a case. */
function wordIn(value: unknown): unknown {
  if (!isSyntax(value)) return undefined;
  const inner = value['key'] ?? value['literal'] ?? value['test'] ?? value;
  return isSyntax(inner) ? (inner['name'] ?? inner['value']) : undefined;
}

function isSyntax(value: unknown): value is Syntax {
  return typeof value === 'object' && value !== null && 'type' in value;
}
