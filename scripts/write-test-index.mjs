// Writes docs/tests.md from the mutants' table: `node scripts/write-test-index.mjs`. The table is proven by `npm run mutants`,
// so the page says which test notices what, and not which test was meant to. A test of the repository compares the two.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { mutants } from '../test/mutants/table.mjs';
import { testFilesOf } from './test-files.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
export const page = 'docs/tests.md';

/** @type {Readonly<Record<string, string>>} */
const folders = {
  cli: 'the command line, as a process',
  core: 'waiting, renewing, re-entry and queues, without an engine or on the memory engine',
  dashboard: 'the page: its handler, and the page itself in a browser',
  engines: 'each engine under the published suites, and what it has of its own',
  examples: 'the examples, the code of the documentation, its links',
  faults: 'real servers and processes that are killed, stopped, cut off and flooded',
  fixtures: 'what several tests use: servers, proxies, clocks. No tests',
  integrations: 'entries for other libraries: telemetry and frameworks',
  interleavings: 'schedules that once broke something, step by step',
  interop: 'beside the real Redisson, Curator, Spring Integration, etcdctl and Go (`npm run test:interop`)',
  kernels: 'rules over a store: requests, numbers, guesses',
  matrix:
    'every client with every kind of server, and other versions of servers (`npm run test:redis-matrix`, `test:valkey-matrix`, `test:sql-matrix`, `test:mysql-matrix`, `test:sqlite-matrix`, `test:zookeeper-matrix`, `test:etcd-matrix`)',
  model: 'Lua scripts beside the rules, by random programs',
  mutants: 'the table this page is made from (`npm run mutants`). No tests',
  orms: 'locks over ORMs and query builders, on PostgreSQL and MariaDB (`npm run test:orms`)',
  package: 'the packed package in projects of users (`npm run test:package`)',
  repo: 'the repository itself: layers, decisions, scripts, benchmarks',
  rules: 'the rules, by random histories',
  runtimes: 'the packed package on every runtime (`npm run test:runtimes`)',
  sim: 'the seeded simulation (`npm run sim`)',
  spi: 'the interface that engines implement',
  types: 'what must compile and what must not',
  wire: 'layouts that other programs read, byte for byte',
};

/** The numbers of the laws in the tables of docs/soundness.md. */
export function lawNumbers() {
  const soundness = fs.readFileSync(join(root, 'docs/soundness.md'), 'utf8');
  return [...soundness.matchAll(/^\| ([\d, ]+?) +\|/gm)].flatMap(([, numbers = '']) => numbers.split(', '));
}

/** @param {string} law */
function sectionOf(law) {
  const ofLaw = mutants.filter((mutant) => mutant.law === law);
  const files = [...new Set(ofLaw.map(({ file }) => file))].toSorted();
  const rows = files.map((file) => {
    const filters = ofLaw.filter((mutant) => mutant.file === file).flatMap(({ tests }) => tests);
    return `| ${linkTo(file)} | ${[...new Set(filters)].toSorted().map(linksOf).join(', ')} |`;
  });
  return `### Law ${law}

| taken out of | noticed by |
| --- | --- |
${rows.join('\n')}
`;
}

/** @param {string} filter */
function linksOf(filter) {
  const files = testFilesOf(filter);
  if (files.length === 1) return files.map(linkTo).join('');
  return fs.existsSync(join(root, filter)) ? linkTo(filter) : `\`${filter}*\``;
}

/** @param {string} path */
function linkTo(path) {
  return `[\`${path}\`](../${path})`;
}

export async function testIndex() {
  const laws = [...new Set(mutants.map(({ law }) => law))].toSorted((a, b) => Number(a) - Number(b));
  const listed = fs
    .readdirSync(join(root, 'test'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory());
  const text = `# Index of tests

Written by \`node scripts/write-test-index.mjs\` from [\`test/mutants/table.mjs\`](../test/mutants/table.mjs): change that, and run it.

## Folders

| folder | what is tested there |
| --- | --- |
${listed.map(({ name }) => `| [\`test/${name}\`](../test/${name}) | ${folders[name] ?? ''} |`).join('\n')}

## From a law to its tests

Each [law](soundness.md) is taken out of each file that keeps it, and the tests beside the file turn red. \`npm run mutants\` proves
it; \`npm run mutants -- --in FILE\` proves it for one file.

${laws.map(sectionOf).join('\n')}`;
  const output = join(root, page);
  return format(text, { ...(await resolveConfig(output)), filepath: output });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) fs.writeFileSync(join(root, page), await testIndex());
