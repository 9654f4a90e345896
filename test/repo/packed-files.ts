import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** A file of the package that `npm pack` would make. */
export interface PackedFile {
  readonly path: string;
  readonly size: number;
}

/** What `npm pack` would put into the package. */
export function packedFiles(): readonly PackedFile[] {
  const done = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  const [packed] = JSON.parse(done.stdout) as readonly { readonly files: readonly PackedFile[] }[];
  return packed!.files;
}
