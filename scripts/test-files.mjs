import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

const testFiles = fs
  .readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .map((path) => `test/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.test.ts'))
  .toSorted();

/**
 * The test files that vitest runs for a filter.
 * @param {string} filter
 */
export function testFilesOf(filter) {
  return testFiles.filter((file) => file.includes(filter));
}
