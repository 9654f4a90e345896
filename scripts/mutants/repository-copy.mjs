import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

const COPIED = [
  'src',
  'page',
  'test',
  'scripts',
  'package.json',
  'vitest.config.ts',
  'tsconfig.base.json',
  'tsconfig.json',
];

/** Copies what the tests need and links the installed dependencies. The folder goes with this process. */
export function copyRepository() {
  const copy = fs.mkdtempSync(join(tmpdir(), 'holdfast-mutants-'));
  process.once('exit', () => fs.rmSync(copy, { recursive: true, force: true }));
  for (const path of COPIED) fs.cpSync(join(root, path), join(copy, path), { recursive: true });
  fs.symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir');
  return copy;
}
