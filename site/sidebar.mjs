import { addressOf, readPage, sitePages, targetOf, titleOf } from './pages.mjs';

const INDEX = 'docs/README.md';
/** The first cell of a row of the index: a link, or the path of a page that is in the repository alone. */
const ROW = /^\| (?:\[([^\]]+)\]\(([^)#\s]+)\)|`(docs\/[^`#]+\.md|[A-Z]+\.md)`)/;

/**
 * The sidebar: the tables of the index in their order. A page whose folder has more pages (`cookbook/index.md`, `orms.md`) has them
 * below itself; a page that neither the index nor such a page reaches is under "More", so that none is out of reach.
 */
export function sidebar() {
  const groups = indexGroups();
  const left = new Set(sitePages().filter((page) => page.startsWith('docs/') && page !== INDEX));
  for (const { path } of groups.flatMap(({ pages }) => pages)) left.delete(path);

  const items = groups.map(({ text, pages }) => ({
    text,
    items: pages.map(({ text: title, path }) => {
      const below = pagesBelow(path).filter((page) => left.delete(page));
      return {
        text: title,
        link: addressOf(path),
        ...(below.length === 0 ? {} : { collapsed: true, items: below.map(itemOf) }),
      };
    }),
  }));
  return left.size === 0 ? items : [...items, { text: 'More', items: [...left].map(itemOf) }];
}

/** @param {string} path */
function itemOf(path) {
  return { text: titleOf(path), link: addressOf(path) };
}

/**
 * The pages in the folder of a page, in the order in which the page links to them.
 * @param {string} path
 */
function pagesBelow(path) {
  const folder = path.replace(/(?:index|README)?\.md$/, '').replace(/\/?$/, '/');
  const links = [...readPage(path).matchAll(/\]\(([^)#\s]+)/g)].map(([, link]) => targetOf(path, link).path);
  const placeOf = (page) => (links.includes(page) ? links.indexOf(page) : links.length);
  return sitePages()
    .filter((page) => page.startsWith(folder) && page !== path)
    .toSorted((a, b) => placeOf(a) - placeOf(b));
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
