import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Frame, walkOnPostgres, walkOnRedis } from './walk-trace.ts';

const page = new URL('../../docs/architecture.md', import.meta.url);

/**
 * How many calls, in how many files, an uncontended acquire may take down to the client: 10 calls in 6 files on
 * Redis and 14 calls in 10 files on PostgreSQL. To be lowered when the way gets shorter, and never raised.
 */
const WALKS = [
  { store: 'redis', walk: walkOnRedis, calls: 10, files: 6 },
  { store: 'postgres', walk: walkOnPostgres, calls: 14, files: 10 },
] as const;

/** The lines of a walk as the page has them. */
function linesOf(frames: readonly Frame[]): string {
  const lines = frames.map(({ call, file }, at) => `${String(at + 1).padStart(2)}  ${file}  ${call}`);
  return `\n\n\`\`\`text\n${lines.join('\n')}\n\`\`\`\n\n`;
}

/** The page before the walk on a store, the walk, and the rest. */
function partsOf(text: string, store: string): readonly [string, string, string] {
  const begin = `<!-- walk: ${store} -->`;
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf('<!-- end -->', from);
  return [text.slice(0, from), text.slice(from, to), text.slice(to)];
}

test.each(WALKS)('an acquire on $store takes at most $calls calls in $files files', async (walked) => {
  const frames = await walked.walk();
  expect(frames[0]).toEqual({ call: 'acquire', file: 'synchronizers/lock/lock.ts' });
  const files = new Set(frames.map(({ file }) => file));
  expect(frames.slice(walked.calls), 'calls over the bound').toEqual([]);
  expect([...files].slice(walked.files), 'files over the bound').toEqual([]);
});

test.each(WALKS)('docs/architecture.md shows the walk on $store as it is', async ({ store, walk }) => {
  const lines = linesOf(await walk());
  const [before, , after] = partsOf(readFileSync(page, 'utf8'), store);
  if (process.env['UPDATE_WALK'] !== undefined) writeFileSync(page, before + lines + after);
  expect(partsOf(readFileSync(page, 'utf8'), store)[1]).toBe(lines);
});
