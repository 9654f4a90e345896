import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The pages outside of docs/ that are part of the site. */
const AROUND = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];

/** Every page of the site, as a path from the root of the repository. */
export function sitePages() {
  const inDocs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path.replaceAll(sep, '/')}`);
  return [...AROUND.filter((path) => existsSync(join(root, path))), ...inDocs.toSorted()];
}

/** @param {string} path */
export function readPage(path) {
  return readFileSync(join(root, path), 'utf8');
}

/**
 * The first heading of a page.
 * @param {string} path
 */
export function titleOf(path) {
  return /^# (.+)$/m.exec(readPage(path))?.[1]?.replaceAll('`', '') ?? path;
}

/**
 * Where the site shows a page: a README is the index of its folder.
 * @param {string} path
 */
export function shownAt(path) {
  return path.replace(/(^|\/)README\.md$/, '$1index.md');
}

/**
 * The address of a page on the site.
 * @param {string} path
 */
export function addressOf(path) {
  return `/${shownAt(path)
    .replace(/index\.md$/, '')
    .replace(/\.md$/, '.html')}`;
}

/**
 * The path from the root that a relative link of a page leads to, and its anchor.
 * @param {string} page
 * @param {string} link
 */
export function targetOf(page, link) {
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? page : posix.join(posix.dirname(page), decodeURI(file));
  return { path: path.replace(/\/$/, ''), anchor };
}
