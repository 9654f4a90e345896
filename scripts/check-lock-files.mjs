// A lock file with download addresses ties every clone to the registry of its author:
// `node scripts/check-lock-files.mjs`.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const lockFiles = [
  'package-lock.json',
  'bench/package-lock.json',
  'examples/orms/package-lock.json',
  'site/package-lock.json',
];

/**
 * Packages that would run code while they are installed, and do all that we want of them without. Prisma would download
 * engines; its client for Node and the command that generates it need none. That of protobufjs, which etcd3 brings for the benchmarks, checks
 * the number of a version. BullMQ would bring one more, which makes it faster: an override puts an empty package in its place.
 */
const unneeded = new Set(['node_modules/prisma', 'node_modules/@prisma/engines', 'node_modules/protobufjs']);

/**
 * @param {string} path relative to the root of the repository
 * @returns {string[]} one line for each violation
 */
export function checkLockFile(path) {
  const text = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
  /** @type {{ packages: Record<string, { resolved?: string, hasInstallScript?: boolean }> }} */
  const { packages } = JSON.parse(text);
  return Object.entries(packages).flatMap(([name, { resolved, hasInstallScript }]) => [
    ...(resolved === undefined ? [] : [`${path}: ${name} has a download address`]),
    ...(hasInstallScript && !unneeded.has(name) ? [`${path}: ${name} runs code while it is installed`] : []),
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const violations = lockFiles.flatMap(checkLockFile);
  for (const violation of violations) console.error(violation);
  process.exitCode = violations.length > 0 ? 1 : 0;
}
