import { addressOf, readPage, sitePages, titleOf } from './pages.mjs';

const INDEX = 'docs/README.md';
/** The first cell of a row of the index: a link, or the path of a page that is in the repository alone. */
const ROW = /^\| (?:\[([^\]]+)\]\(([^)#\s]+)\)|`(docs\/[^`#]+\.md|[A-Z]+\.md)`)/;
/** The groups of pages that the index does not list, by their folder; any other is under the last one. */
const BY_FOLDER = [
  ['docs/cookbook/', 'Cookbook'],
  ['docs/migrating/', 'Migrating'],
  ['docs/decisions/', 'Decisions'],
  ['docs/', 'More'],
];
/** Long lists start closed. */
const CLOSED = new Set(['Decisions', 'Project']);

/** The sidebar: the tables of the index in their order, then the pages that it does not list, so that none is out of reach. */
export function sidebar() {
  const groups = indexGroups();
  const listed = new Set([INDEX, ...groups.flatMap(({ pages }) => pages.map(({ path }) => path))]);
  for (const path of sitePages().filter((page) => page.startsWith('docs/') && !listed.has(page))) {
    const name = BY_FOLDER.find(([folder]) => path.startsWith(folder))[1];
    let group = groups.find(({ text }) => text === name);
    if (group === undefined) groups.push((group = { text: name, pages: [] }));
    group.pages.push({ text: titleOf(path), path });
  }
  return groups.map(({ text, pages }) => ({
    text,
    ...(CLOSED.has(text) ? { collapsed: true } : {}),
    items: pages.map((page) => ({ text: page.text, link: addressOf(page.path) })),
  }));
}

/** The headings of the index, each with the pages of its table. */
function indexGroups() {
  const known = new Set(sitePages());
  /** @type {{ text: string, pages: { text: string, path: string }[] }[]} */
  const groups = [];
  for (const line of readPage(INDEX).split('\n')) {
    const heading = /^## (.+)$/.exec(line)?.[1];
    if (heading !== undefined) groups.push({ text: heading, pages: [] });
    const [, text, link, named] = ROW.exec(line) ?? [];
    const path = named ?? (link?.startsWith('../') ? link.slice('../'.length) : `docs/${link}`);
    if (known.has(path)) groups.at(-1)?.pages.push({ text: text ?? titleOf(path), path });
  }
  return groups.filter(({ pages }) => pages.length > 0);
}
