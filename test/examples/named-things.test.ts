import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMMAND_SPECS } from '../../src/cli/commands/spec.ts';
import { pages, read, root, sources } from './documents.ts';

/** History names what is gone: decisions what was rejected, the changelog what was renamed, notes what was measured. */
const HISTORY = /^(?:docs\/decisions\/|CHANGELOG\.md|bench\/notes\/)/;
/** These pages also name things of other programs that look like ours. */
const FOREIGN =
  /^docs\/(?:migrating|wire|cookbook)\/|^docs\/(?:frameworks|orms|hosted-stores|kubernetes)\.md$|^README\.md$/;
/** Errors of JavaScript, Node and the clients, which pages rightly name. */
const FOREIGN_ERRORS = new Set([
  'AbortError',
  'TypeError',
  'RangeError',
  'AggregateError',
  'SyntaxError',
  'TimeoutError',
  'Error',
]);

/** Constants of databases, Java, other libraries and this repository's tests, which pages rightly name. */
const FOREIGN_CONSTANTS = new Set([
  'JSON_TABLE',
  'UTC_TIMESTAMP',
  'GET_LOCK',
  'E_TIMEOUT',
  'E_ALREADY_LOCKED',
  'E_CANCELED',
  'SPIN_LOCK',
  'PUB_SUB_LOCK',
  'ETCD_LOCK_REV',
  'UPDATE_WALK',
  'PATH_OF_THE_CLONE',
]);
/** Calls and options of Java and the clients, and members of their objects, which pages about this library name. */
const FOREIGN_NAMES = new Set([
  'addPermits',
  'socketTimeout',
  'lock.isHeldByCurrentThread',
  'lock.newCondition',
  'semaphore.getValue',
  'tryLock',
  'lock.tryLock',
  'lock.unlock',
  'lock.forceUnlock',
]);
/** What the pages call the objects of this library. */
const OBJECTS =
  'hold|locks|lock|permit|election|office|leadership|latch|barrier|monitor|semaphore|traits|error|engine|m';

const current = pages.filter((page) => !HISTORY.test(page) && page !== 'docs/benchmarks.md');
const ours = current.filter((page) => !FOREIGN.test(page));

/** The words of the sources, comments left out. */
const words = new Set(
  sources.flatMap(
    (path) =>
      read(path)
        .replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '')
        .match(/[\w$]+/g) ?? [],
  ),
);
const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' });
const files = new Set(tests.map((path) => basename(path.replaceAll(sep, '/'))));
/** Variables of the environment that only tests read. */
const testWords = new Set(
  tests
    .filter((path) => path.endsWith('.ts') && !path.endsWith(basename(import.meta.filename)))
    .flatMap((path) => readFileSync(join(root, 'test', path), 'utf8').match(/\bHOLDFAST_[A-Z_]+/g) ?? []),
);
const { scripts, exports: entries } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
};

/** The inline code of a page, without its blocks: blocks are compiled and run. */
function spans(text: string): readonly string[] {
  return [...text.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/`([^`\n]+(?:\n[^`\n]+)?)`/g)].map(
    ([, code = '']) => code.replaceAll(/\s+/g, ' '),
  );
}

/** What a pattern finds in the code of a text: its first group, each once. */
function named(text: string, pattern: RegExp): readonly string[] {
  const found = spans(text).flatMap((span) => [...span.matchAll(pattern)].map(([, name = '']) => name));
  return [...new Set(found)];
}

function missingFiles(text: string): readonly string[] {
  const paths = named(
    text,
    /^((?:src|test|scripts|docs|bench|examples|site|\.ci)\/[\w./-]*[\w-])(?:#[\w-]+)?\/?$/g,
  );
  const testFiles = named(text, /^([\w-]+\.test\.ts|[\w-]+-cases\.ts)$/g);
  const isThere = (path: string) => existsSync(join(root, path)) || path.startsWith('bench/.build');
  return [...paths.filter((path) => !isThere(path)), ...testFiles.filter((name) => !files.has(name))];
}

function missingEntries(text: string): readonly string[] {
  const runs = named(text, /npm run ([\w:-]+)/g).filter((name) => scripts[name] === undefined);
  const imports = named(text, /^holdfast(\/[a-z]+)$/g).filter((name) => entries[`.${name}`] === undefined);
  return [...runs.map((name) => `npm run ${name}`), ...imports.map((name) => `holdfast${name}`)];
}

function missingWords(text: string): readonly string[] {
  const variables = named(text, /\b(HOLDFAST_[A-Z_]+)\b/g);
  const constants = named(text, /(?<![\w.$-])([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?![\w*])/g);
  const members = named(text, new RegExp(`(?<![\\w./-])((?:${OBJECTS})\\.[a-zA-Z]+)\\b`, 'g'));
  return [
    ...[...new Set([...variables, ...constants])].filter(
      (name) => !words.has(name) && !testWords.has(name) && !FOREIGN_CONSTANTS.has(name),
    ),
    ...members.filter((name) => !words.has(name.split('.')[1] ?? '') && !FOREIGN_NAMES.has(name)),
  ];
}

/** Errors, durations, calls and the options in braces, on pages about this library alone. */
function missingNames(text: string): readonly string[] {
  const errors = named(text, /\b([A-Z][a-zA-Z]*Error)\b/g).filter((name) => !FOREIGN_ERRORS.has(name));
  const durations = named(text, /(?<![\w.-])([a-z][a-zA-Z]*Ms)\b/g);
  const calls = named(text, /(?<![\w.$-])([a-z][A-Za-z]*)\(/g);
  const options = spans(text)
    .flatMap((span) => span.match(/\{[^{}]*\}/g) ?? [])
    .flatMap((braces) =>
      [...braces.matchAll(/[{,]\s*([a-z][A-Za-z]*)\??(?=\s*[:,}])/g)].map(([, name = '']) => name),
    );
  return [...new Set([...errors, ...durations, ...calls, ...options])].filter(
    (name) => !words.has(name) && !FOREIGN_NAMES.has(name),
  );
}

function missingCommands(text: string): readonly string[] {
  return spans(text)
    .filter((span) => /^(?:npx )?holdfast /.test(span))
    .flatMap((span) => {
      const [, verb = ''] = /^(?:npx )?holdfast (\S+)/.exec(span) ?? [];
      const [ownPart = ''] = span.split(' -- ');
      const options = [...ownPart.matchAll(/ --([a-z-]+)/g)].map(([, name = '']) => name);
      const unknown = options.filter((name) => !optionsOf(verb).has(name));
      const isVerb = verb.startsWith('-') || verb === 'VERB' || Object.hasOwn(COMMAND_SPECS, verb);
      return [...(isVerb ? [] : [`holdfast ${verb}`]), ...unknown.map((name) => `--${name}`)];
    });
}
/** The options of a verb, or of all of them where the page says VERB. */
function optionsOf(verb: string): ReadonlySet<string> {
  const specs = Object.values(COMMAND_SPECS).filter(({ name }) => name === verb || verb === 'VERB');
  return new Set(['help', 'version', ...specs.flatMap(({ options }) => Object.keys(options))]);
}

function missing(text: string): readonly string[] {
  return [...missingFiles(text), ...missingEntries(text), ...missingWords(text), ...missingCommands(text)];
}

test.each(current)('%s names files, scripts, entries, members and options that exist', (page) => {
  expect(missing(read(page))).toEqual([]);
});

test.each(ours)('%s names errors and options that exist', (page) => {
  expect(missingNames(read(page))).toEqual([]);
});

test('the page of the errors has every code', () => {
  const declared = [...read('src/spi/errors.ts').matchAll(/'([A-Z]+(?:_[A-Z]+)*)'/g)].map(
    ([, code = '']) => code,
  );
  expect(declared.length).toBeGreaterThan(5);
  expect(declared.filter((code) => !read('docs/api/errors.md').includes(`\`${code}\``))).toEqual([]);
});

describe('a page that names what is not there is found', () => {
  test.each([
    ['`test/gone.test.ts`', 'test/gone.test.ts'],
    ['`gone.test.ts`', 'gone.test.ts'],
    ['`npm run gone`', 'npm run gone'],
    ['`holdfast/gone`', 'holdfast/gone'],
    ['`HOLDFAST_GONE`', 'HOLDFAST_GONE'],
    ['`GONE_FOR_GOOD`', 'GONE_FOR_GOOD'],
    ['`hold.vanished()`', 'hold.vanished'],
    ['`traits.vanished`', 'traits.vanished'],
    ['`holdfast gone x`', 'holdfast gone'],
    ['`holdfast run x --gone-by -- date`', '--gone-by'],
    ['`holdfast run x --once -- date`', '--once'],
  ])('%s', (text, name) => {
    expect(missing(text)).toEqual([name]);
  });

  test.each(['`GoneError`', '`goneMs`', '`vanish(name)`', '`semaphore(name, { vanished: 3 })`'])(
    '%s',
    (text) => {
      expect(missingNames(text)).toHaveLength(1);
    },
  );
});
