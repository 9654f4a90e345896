import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Imports a file of the package by its name in dist/. */
export type DistributionFiles = (file: string) => Promise<unknown>;

/** What is different in a copy. */
export interface Change {
  readonly find: RegExp;
  readonly replace: string;
}

/** Looks at the tracing channels are constants: what a lock would cost without them. */
export const WITHOUT_LOOKS: Change = { find: /(?:#?[\w$]+\.)+hasSubscribers\b/g, replace: 'false' };

/** The tracing channels have other names: a subscriber of the process hears nothing of this copy. */
export const OTHER_CHANNELS: Change = {
  find: /holdfast:(?=(?:acquire|hold|renewal)\b)/g,
  replace: 'unheard:',
};

/** Looked for when it is needed: the tests of this folder load it where the package is not installed beside it. */
function dist(): string {
  return dirname(fileURLToPath(import.meta.resolve('holdfast')));
}

export const installedFiles: DistributionFiles = (file) => import(pathToFileURL(join(dist(), file)).href);

/**
 * A copy of the package that is loaded beside it, as other modules. Not a branch of the sources, which would have to be kept alike by
 * hand.
 */
export function copyPackage({ find, replace }: Change): {
  readonly files: DistributionFiles;
  readonly remove: () => void;
} {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-copy-'));
  let places = 0;
  for (const file of readdirSync(dist()).filter((name) => name.endsWith('.js'))) {
    const text = readFileSync(join(dist(), file), 'utf8').replaceAll(find, () => {
      places++;
      return replace;
    });
    writeFileSync(join(folder, file), text);
  }
  if (places === 0)
    throw new Error(`nothing in dist/ is like ${find}: the package would be compared with itself`);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  return {
    files: (file) => import(pathToFileURL(join(folder, file)).href),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
