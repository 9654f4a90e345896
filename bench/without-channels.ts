import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Imports a file of the package by its name in dist/. */
export type DistributionFiles = (file: string) => Promise<unknown>;

const dist = dirname(fileURLToPath(import.meta.resolve('holdfast')));

export const installedFiles: DistributionFiles = (file) => import(pathToFileURL(join(dist, file)).href);

const LOOK = /(?:#?[\w$]+\.)+hasSubscribers\b/g;

/**
 * A copy of the package whose looks at the tracing channels are constants: what a lock would cost without them. Not a branch of the
 * sources, which would have to be kept alike by hand.
 */
export function copyWithoutChannels(): { readonly files: DistributionFiles; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-without-channels-'));
  let looks = 0;
  for (const file of readdirSync(dist).filter((name) => name.endsWith('.js'))) {
    const text = readFileSync(join(dist, file), 'utf8').replaceAll(LOOK, () => {
      looks++;
      return 'false';
    });
    writeFileSync(join(folder, file), text);
  }
  if (looks === 0)
    throw new Error('the package does not look at its channels any more: this compares it with itself');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  return {
    files: (file) => import(pathToFileURL(join(folder, file)).href),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
