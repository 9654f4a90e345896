import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(`${root}docs/architecture.md`, 'utf8');

/** "`name` in `src/file.ts`" of the map. */
const NAMED = /`(\w+)` (?:in|of) `(src\/[^`]+\.ts)`/g;
/** "`file.ts` beside it", after the file that it is beside. */
const BESIDE = /`(src\/[^`]+\/)[^/`]+\.ts`[^|]*?`([\w-]+\.ts)` beside it/g;

/** `*` stands for the end of a name. */
function isThere(path: string): boolean {
  if (!path.includes('*')) return existsSync(root + path);
  const [start = ''] = path.split('*');
  return readdirSync(root + posix.dirname(start)).some((name) =>
    posix.join(posix.dirname(start), name).startsWith(start),
  );
}

test('every path of the map leads somewhere', () => {
  const paths = [...page.matchAll(/`((?:src|scripts|test|docs)\/[^` ]*)`/g)].map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !isThere(path))).toEqual([]);
});

test('what it names in a file is in that file', () => {
  const named = [...page.matchAll(NAMED)].map(([, name = '', file = '']) => ({ name, file }));
  expect(named.length).toBeGreaterThan(6);
  expect(named.filter(({ name, file }) => !readFileSync(root + file, 'utf8').includes(name))).toEqual([]);
});

test('what it puts beside a file is there', () => {
  const beside = [...page.matchAll(BESIDE)].map(([, folder = '', file = '']) => posix.join(folder, file));
  expect(beside.length).toBeGreaterThan(2);
  expect(beside.filter((path) => !existsSync(root + path))).toEqual([]);
});

test('the picture of the parts has each folder and entry of src, and each engine', () => {
  const picture = readFileSync(`${root}docs/pictures/layers.svg`, 'utf8');
  const shown = new Set(
    [...picture.matchAll(/>([^<]+)</g)].flatMap(([, text = '']) => text.split(/[ ,/:;]+/)),
  );
  const engines = readdirSync(`${root}src/engines`).filter((name) => name !== 'sql');
  expect([...readdirSync(`${root}src`), ...engines].filter((name) => !shown.has(name))).toEqual([]);
});
