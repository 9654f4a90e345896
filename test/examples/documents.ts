import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Without what `npm run test:orms` installs beside its examples: the pages of those packages are not ours to run. */
function filesUnder(folder: string, ending: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending) && !path.split(sep).includes('node_modules'))
    .map((path) => `${folder}/${path.replaceAll(sep, '/')}`)
    .toSorted();
}

/** Every page that a reader may open. */
export const pages: readonly string[] = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...filesUnder('docs', '.md'),
  ...filesUnder('examples', '.md'),
  ...filesUnder('bench/notes', '.md'),
];

/** The sources: their comments have examples too. */
export const sources: readonly string[] = filesUnder('src', '.ts');
