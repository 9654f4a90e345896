// Looks at what VitePress has written: `node check-site.mjs`. Every link leads to a page and an anchor that exist, every picture is there,
// nothing is loaded from another host, and every block of code on the pages runs in `npm test` or says why not.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unrunBlocks } from '../scripts/documents/unrun-blocks.mjs';
import { readPage, sitePages } from './pages.mjs';

const dist = fileURLToPath(new URL('.vitepress/dist/', import.meta.url));
const base = process.env.DOCS_BASE ?? '/';
const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).map((path) =>
  path.replaceAll(sep, '/'),
);
const pages = files.filter((path) => path.endsWith('.html') && path !== '404.html');
const ids = new Map(pages.map((page) => [page, idsOf(readFileSync(join(dist, page), 'utf8'))]));

function idsOf(html) {
  return new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => unescaped(id)));
}

function unescaped(text) {
  return text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'");
}

function faultsOf(page) {
  const html = readFileSync(join(dist, page), 'utf8');
  const links = [...html.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)].map(([, href]) => unescaped(href));
  const loaded = [...html.matchAll(/<(?:script|link|img|source|iframe)\b[^>]*?\s(?:src|href)="([^"]*)"/g)];
  const sources = loaded
    .map(([, source]) => unescaped(source))
    .filter((source) => !source.startsWith('data:'));
  return [
    ...[...new Set(links)]
      .filter((link) => !leads(page, link))
      .map((link) => `${page}: ${link} leads nowhere`),
    ...[...new Set(sources)]
      .filter((source) => /^([a-z]+:)?\/\//.test(source) || !files.includes(pathOf(page, source)))
      .map((source) => `${page}: ${source} is not part of the site`),
  ];
}

function pathOf(page, address) {
  const [file = ''] = address.split(/[?#]/);
  const path = file.startsWith(base) ? file.slice(base.length) : posix.join(posix.dirname(page), file);
  return decodeURI(path === '' || path.endsWith('/') ? `${path}index.html` : path);
}

function leads(page, link) {
  if (/^[a-z]+:/.test(link)) return true;
  const target = link.startsWith('#') ? page : pathOf(page, link);
  const anchor = link.split('#')[1];
  if (!existsSync(join(dist, target))) return false;
  return anchor === undefined || anchor === '' || ids.get(target)?.has(decodeURIComponent(anchor)) === true;
}

const results = [...pages.map(faultsOf), ...sitePages().map((page) => unrunBlocks(page, readPage(page)))];
for (const fault of results.flat()) console.error(fault);
const failed = results.filter((faults) => faults.length > 0).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 || pages.length === 0 ? 1 : 0;
