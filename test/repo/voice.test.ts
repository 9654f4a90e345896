import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Words that hide the actor, and phrases of a private dialect. Whose turn it is, and what happened to it, is what a reader of this
 * project wants to know: the owner, the client, the waiter, the store.
 */
const FORBIDDEN =
  /\b(?:who(?:m)?ever|(?:some|any|every|no)body|(?:some|every)one|no one|for ever|could not be had|st(?:ands?|anding|ood) back|(?:is|are|was|were) told)\b/gi;

/** Names, not words: the user of Unix, owners and passwords of tests and benchmarks, and the rules themselves. */
const NAMES = /'[^' ]*nobody[^' ]*'|:tell-nobody@|\bNOBODY\b/g;

/** Packages of the benchmarks, and what is built from them: a hundred thousand files that are not ours. */
const NOT_OURS = new Set(['node_modules', '.build']);

/** Texts are searched whole: comments, messages, help texts and pages alike. A Lua script is not: its text has a digest. */
function textsUnder(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) ? [] : textsUnder(path);
    const isText = /\.(?:tsx?|css|mjs|md|vue)$/.test(path) && !path.endsWith('.generated.ts');
    return isText && path !== join('test', 'repo', 'voice.test.ts') ? [path] : [];
  });
}

const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];

test.each(['src', 'page', 'docs', 'examples', 'test', 'bench', 'scripts', 'site'])(
  '%s names the actor',
  (folder) => {
    const texts = textsUnder(folder);
    expect(texts.length).toBeGreaterThan(5);
    expect(texts.flatMap(forbiddenIn)).toEqual([]);
  },
);

test('so do the pages of the repository', () => {
  expect(pages.flatMap(forbiddenIn)).toEqual([]);
});

/** Each forbidden word of a file, with its line. */
function forbiddenIn(path: string): readonly string[] {
  const lines = readFileSync(join(root, path), 'utf8').replaceAll(NAMES, '').split('\n');
  return lines.flatMap((line, at) =>
    (line.match(FORBIDDEN) ?? []).map((word) => `${path}:${at + 1}: ${word}`),
  );
}
