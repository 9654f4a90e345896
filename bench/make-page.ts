// `npm run bench:page -- [FILE]`: docs/benchmarks.md and its pictures from what `npm run bench -- --json FILE` wrote. Without
// a file, from the figures that are beside the page.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { RunRecord } from './run-record.ts';
import { docs, writePage } from './write-page.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const file = positionals[0] ?? new URL('benchmarks.json', docs);
writePage(JSON.parse(readFileSync(file, 'utf8')) as RunRecord);
