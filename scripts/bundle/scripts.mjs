import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { minifySync } from 'rolldown/utils';
import { groups } from './chunks.mjs';
import { compiled, dist, entries, root } from './entries.mjs';
import { byImport, byRequire } from './package-imports.mjs';

/** A debugger of a user rarely stops in these, and their indentation takes 60 KB. */
const SELDOM_READ = /^(?:testing|cli[\\/].*)\.js$/;

/** The ES modules, with the entry for browsers and the command line, which shares their files. */
export async function writeModules() {
  await write(
    { ...entries, browser: 'browser', 'cli/main': 'cli/main' },
    { dir: dist, format: 'esm', ...named('.js') },
    byImport,
  );
  for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' }))
    if (SELDOM_READ.test(file)) removeWhitespace(join(dist, file));
}

/** @param {string} path */
function removeWhitespace(path) {
  const { code, errors } = minifySync(path, readFileSync(path, 'utf8'), { compress: false, mangle: false });
  if (errors[0]) throw new Error(errors[0].message);
  writeFileSync(path, code);
}

/**
 * The same for programs that cannot load ES modules: Jest, above all. It is minified, because it is a copy; names
 * are kept, because an error shows the name of its class, and a stack those of functions.
 */
export async function writeCommonJs() {
  await write(
    entries,
    {
      dir: join(dist, 'cjs'),
      format: 'cjs',
      ...named('.cjs'),
      minify: { compress: true, mangle: { keepNames: { class: true, function: false } } },
    },
    byRequire,
  );
}

/** @param {string} extension */
function named(extension) {
  return { entryFileNames: `[name]${extension}`, chunkFileNames: `[name]${extension}` };
}

/**
 * @param {Record<string, string>} input
 * @param {import('rolldown').OutputOptions} output
 * @param {import('rolldown').Plugin} packageImports
 */
async function write(input, output, packageImports) {
  const bundle = await rolldown({
    input: Object.fromEntries(
      Object.entries(input).map(([name, path]) => [name, join(compiled, `${path}.js`)]),
    ),
    plugins: [packageImports],
    platform: 'node',
    // Clients are packages of the user.
    external: (id) => !id.startsWith('.') && !id.startsWith('/') && !id.startsWith(root),
    onLog: (level, log, handle) => {
      // Some of what is loaded late from one place is needed at once from another.
      if (log.code === 'INEFFECTIVE_DYNAMIC_IMPORT') return;
      handle(level === 'warn' ? 'error' : level, log);
    },
  });
  // The comments are in the sources; those that steer bundlers stay.
  const comments = { legal: false, jsdoc: false, annotation: true };
  await bundle.write({ ...output, comments, codeSplitting: { groups } });
  await bundle.close();
}
