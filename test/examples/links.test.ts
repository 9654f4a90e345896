import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { pages, read, root } from './documents.ts';

/** The page without its code, where brackets are no links and hashes no headings. */
function prose(path: string): string {
  return read(path).replaceAll(/^```[^]*?^```$/gm, '');
}

/** The anchors that headings get where the pages are shown: lower case, without signs, blanks as dashes. And our own. */
function anchors(path: string): readonly string[] {
  const text = prose(path);
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)];
}

function brokenLinks(path: string): readonly string[] {
  const links = [...prose(path).matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)];
  const targets = links.map(([, inText, inTag]) => inText ?? inTag ?? '');
  return targets.filter((target) => !/^[a-z]+:/.test(target) && !resolves(path, target));
}

function resolves(from: string, target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? from : join(dirname(from), file);
  if (!existsSync(join(root, path))) return false;
  return anchor === undefined || anchors(path).includes(anchor);
}

test.each(pages)('every relative link of %s leads somewhere', (path) => {
  expect(brokenLinks(path)).toEqual([]);
});

test('the README fits on two hundred lines', () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(200);
});
