import { existsSync } from 'node:fs';

const FENCE = /^(`{3,})(\S*) *(.*)$/;
/** `npm test` runs these: on the sources, or in Node on what is published. */
const RUN = new Set(['ts', 'js', 'cjs']);
/** Other names of the same languages, under which no test would find a block. */
const UNSEEN = new Set(['javascript', 'mjs', 'mts', 'cts', 'tsx', 'jsx']);
/** With one of these a block runs on a real server of its own. */
const SERVERS = new Set(['on-redis', 'on-postgres', 'on-mariadb']);

/**
 * The blocks of code on a page that no test runs and that do not say why. A block of `typescript` quotes a file and begins with
 * its path; `test/examples/quoted-files.test.ts` compares the two.
 * @param {string} path for the lines of the answer
 * @param {string} text
 * @param {(file: string) => boolean} exists whether the repository has a file
 * @returns {string[]} one line for each
 */
export function unrunBlocks(
  path,
  text,
  exists = (file) => existsSync(new URL(`../../${file}`, import.meta.url)),
) {
  const lines = text.split('\n');
  const found = [];
  for (let at = 0; at < lines.length; at++) {
    const [, ticks, language = '', remark = ''] = FENCE.exec(lines[at] ?? '') ?? [];
    if (ticks === undefined) continue;
    const fault = faultOf(language, remark, lines[at + 1] ?? '', exists);
    if (fault !== null) found.push(`${path}:${at + 1}: ${fault}`);
    const end = lines.findIndex((line, after) => after > at && line === ticks);
    at = end === -1 ? lines.length : end;
  }
  return found;
}

/**
 * @param {string} language
 * @param {string} remark
 * @param {string} first the first line of the block
 * @param {(file: string) => boolean} exists
 */
function faultOf(language, remark, first, exists) {
  if (UNSEEN.has(language)) return `no test runs a block of ${language}: write ts, js or cjs`;
  if (language === 'typescript') {
    const file = /^\/\/ (\S+)$/.exec(first)?.[1];
    return file !== undefined && exists(file)
      ? null
      : 'a block of typescript quotes a file and begins with its path';
  }
  if (!RUN.has(language) || remark === '' || SERVERS.has(remark)) return null;
  const reason = /^no-run (\S.*)$/.exec(remark)?.[1];
  if (reason === undefined)
    return `"${remark}" says neither on which server the block runs nor why it does not (no-run …)`;
  const test = /\btest\/\S+\.ts\b/.exec(reason)?.[0];
  return test === undefined || exists(test) ? null : `${test}, which is to run the block, does not exist`;
}
