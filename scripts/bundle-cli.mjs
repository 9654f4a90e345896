// Writes the command line into dist/cli: `node scripts/bundle-cli.mjs`. One file for what every `holdfast run` needs, and
// one for each thing that only some need; see docs/decisions/0019-the-command-line-in-one-file.md.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));

const bundle = await rolldown({
  cwd: root,
  input: { main: 'src/cli/main.ts' },
  platform: 'node',
  // Drivers are packages of the user.
  external: (id) => !id.startsWith('.') && !id.startsWith('/') && !id.startsWith(root),
  onLog: (level, log, handle) => handle(level === 'warn' ? 'error' : level, log),
});
await bundle.write({
  dir: join(root, 'dist/cli'),
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
});
await bundle.close();
