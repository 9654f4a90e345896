import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { packedFiles, root } from './packed-files.ts';

/** What a file takes of a disk: whole blocks, as `du` counts. */
const BLOCK = 4096;
/** Of all that `npm install holdfast` writes into an empty folder. */
const MOST_BYTES = 3_000_000;
const LINK = /\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g;

const files = packedFiles();
const paths = new Set(files.map(({ path }) => path));

/** Files in blocks, and a block for each folder. */
function bytesOnDisk(): number {
  const folders = new Set(files.flatMap(({ path }) => foldersOf(path)));
  const blocks = files.reduce((sum, { size }) => sum + Math.ceil(size / BLOCK), 0);
  return (blocks + folders.size) * BLOCK;
}

function foldersOf(path: string): readonly string[] {
  const folder = posix.dirname(path);
  return folder === '.' ? [folder] : [folder, ...foldersOf(folder)];
}

/** The targets in this package of all links of a page. */
function linksOf(page: string): readonly string[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(LINK)]
    .map(([, link, attribute]) => (link ?? attribute ?? '').replace(/#.*$/, ''))
    .filter((link) => link !== '' && !/^[a-z]+:/.test(link))
    .map((link) => posix.join(posix.dirname(page), link));
}

test('the package is small', () => {
  expect(bytesOnDisk()).toBeLessThan(MOST_BYTES);
});

test('the page of the dashboard has less than 60 KB to load, with the licenses of what is in it', () => {
  const page = files.filter(({ path }) => /^dist\/dashboard-.*\.gz$/.test(path));
  expect(page.map(({ path }) => path)).toEqual(['dist/dashboard-app.css.gz', 'dist/dashboard-app.js.gz']);
  expect(page.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(60_000);
  const script = gunzipSync(readFileSync(join(root, 'dist/dashboard-app.js.gz'))).toString();
  for (const name of ['preact', '@preact/signals', 'uplot'])
    expect(script).toMatch(new RegExp(`^/\\*! ${name} [\\d.]+\n\nThe MIT License`, 'm'));
});

test('it holds what was built and the documentation: no sources, no maps, no tests', () => {
  const folders = new Set([...paths].filter((path) => path.includes('/')).map((path) => path.split('/')[0]));
  expect(folders).toEqual(new Set(['dist', 'docs']));
  expect([...paths].filter((path) => path.endsWith('.map'))).toEqual([]);
});

test('every link of its pages leads to a page that is in it', () => {
  // But for the README: it is the page of the repository and of the registry, whose links lead to the repository.
  const pages = [...paths].filter((path) => path.endsWith('.md') && path !== 'README.md');
  expect(pages.length).toBeGreaterThan(25);
  const dead = pages.flatMap((page) =>
    linksOf(page)
      .filter((target) => !paths.has(target))
      .map((target) => `${page}: ${target}`),
  );
  expect(dead, 'the package does not hold the target: write its path as text').toEqual([]);
});
