import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { compiled, root } from './entries.mjs';
import { licensesOf } from './licenses.mjs';
import { byTable } from './package-imports.mjs';
import { withPageInside } from './page-files.mjs';

/** The clients in the file: one for each kind of server. SQLite is Node's own, and ZooKeeper needs no client. */
const CLIENTS = ['@redis/client', 'pg', 'mysql2/promise'];

/** What a client would use if it were there: a native binding, and an interface of another platform. */
const MISSING = new Set([
  'pg-native',
  'cloudflare:sockets',
  'pg-cloudflare',
  '@node-rs/xxhash',
  '@opentelemetry/api',
]);

/** Writes the command line as one file, with the licenses of what is in it. */
export async function writeOneFile(file = join(root, '.build/holdfast.mjs')) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const bundle = await rolldown({
    input: join(compiled, 'cli/main.js'),
    platform: 'node',
    plugins: [byTable(CLIENTS), versionOf(version), withPageInside()],
    external: (id) => MISSING.has(id),
    onLog: (level, log, handle) => {
      // Packages of others are as they are.
      if (level === 'warn' && log.id?.includes('node_modules')) return;
      if (log.code === 'INEFFECTIVE_DYNAMIC_IMPORT') return;
      handle(level === 'warn' ? 'error' : level, log);
    },
  });
  const { output } = await bundle.write({
    file,
    format: 'esm',
    codeSplitting: false,
    minify: { compress: false, mangle: false },
    comments: { legal: true, jsdoc: false, annotation: false },
    postFooter: (chunk) => licensesOf(chunk.moduleIds, [{ name: 'holdfast', folder: root }]),
  });
  await bundle.close();
  if (output.length !== 1) throw new Error(`${output.length} files were written, and not one`);
  chmodSync(file, 0o755);
  return file;
}

/**
 * The version in a text: there is no manifest beside one file.
 * @param {string} version
 * @returns {import('rolldown').Plugin}
 */
function versionOf(version) {
  return {
    name: 'version',
    transform: {
      filter: { id: /cli\/version\.js$/ },
      handler: () => `export function version() { return ${JSON.stringify(version)}; }`,
    },
  };
}
