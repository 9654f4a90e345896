// Writes the command line into dist/cli: `node scripts/bundle-cli.mjs`. One file for what `holdfast run` needs on the
// embedded engine, others for what only some need; see docs/decisions/0020-the-command-line-in-one-file.md.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Loaded together, because `holdfast run` needs all of it: each file more costs a millisecond or two. */
const forEveryRun =
  /\/src\/(?:core|kernels|rules|spi|synchronizers|index|engines\/sqlite|engines\/sql\/(?:cells\/|dialects\/)?[a-z-]+\.ts|cli\/(?:commands\/(?:run|specs)\/|output|(?:commands\/)?[a-z-]+\.ts))/;
/** What no usual run needs, although it lies there. */
const forSome =
  /cli\/(?:commands\/help|version|commands\/schema)|sqlite\/machine-queue|check-up|schema-sql|clock-offset|kernels\/lines|clockless|rules\/line\.|pushed-session/;

const bundle = await rolldown({
  cwd: root,
  input: { main: 'src/cli/main.ts' },
  platform: 'node',
  // Drivers are packages of the user.
  external: (id) => !id.startsWith('.') && !id.startsWith('/') && !id.startsWith(root),
  onLog: (level, log, handle) => {
    // Some of what is loaded late from one place is needed at once from another.
    if (log.code === 'INEFFECTIVE_DYNAMIC_IMPORT') return;
    handle(level === 'warn' ? 'error' : level, log);
  },
});
await bundle.write({
  dir: join(root, 'dist/cli'),
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
  codeSplitting: {
    groups: [{ name: 'run', test: (id) => forEveryRun.test(id) && !forSome.test(id) }],
  },
});
await bundle.close();
