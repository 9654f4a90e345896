import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { rolldown } from 'rolldown';
import { minifySync } from 'rolldown/utils';
import { groups } from './chunks.mjs';
import { compiled, dist, entries, root } from './entries.mjs';
import { byImport, byRequire } from './package-imports.mjs';
import { besideModules, besideCommonJs } from './page-files.mjs';

/** A debugger of a user rarely stops in these, and the lines and the names of functions of these take 96 KB. */
const SELDOM_READ = /^(?:testing|dashboard|cli[\\/].*)\.js$/;

/**
 * Lines, and the names of classes, functions and methods, are what the stack of an error shows: they stay. Local names and
 * private fields do not: they took 181 KB.
 * @satisfies {import('rolldown').OutputOptions['minify']}
 */
const shortened = {
  compress: true,
  mangle: { toplevel: false, keepNames: { class: true, function: true } },
  codegen: { removeWhitespace: false },
};

/** @satisfies {import('rolldown').OutputOptions['minify']} */
const minified = { compress: true, mangle: { keepNames: { class: true, function: false } } };

/** The ES modules, with the entry for browsers and the command line, which shares their files. */
export async function writeModules() {
  await write(
    { ...entries, browser: 'browser', 'cli/main': 'cli/main' },
    { dir: dist, format: 'esm', ...named('.js'), minify: shortened },
    [byImport, besideModules],
  );
  for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' }))
    if (SELDOM_READ.test(file)) minify(join(dist, file));
    else if (file.endsWith('.js')) unindent(join(dist, file));
}

/** @param {string} path */
function minify(path) {
  const { code, errors } = minifySync(path, readFileSync(path, 'utf8'), minified);
  if (errors[0]) throw new Error(errors[0].message);
  writeFileSync(path, code);
}

/**
 * Takes the tabs before each line away, 32 KB of them; lines stay, which an error shows in its stack. A line inside a template
 * is text of the program.
 * @param {string} path
 */
function unindent(path) {
  const text = readFileSync(path, 'utf8');
  /** @type {{ start: number, end: number }[]} */
  const templates = [];
  const visitor = new Visitor({ TemplateLiteral: ({ start, end }) => void templates.push({ start, end }) });
  visitor.visit(parseSync(path, text).program);
  const isText = (/** @type {number} */ at) => templates.some(({ start, end }) => start < at && at < end);
  writeFileSync(
    path,
    text.replaceAll(/^\t+/gm, (tabs, at) => (isText(at) ? tabs : '')),
  );
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
      minify: minified,
    },
    [byRequire, besideCommonJs],
  );
}

/** @param {string} extension */
function named(extension) {
  return { entryFileNames: `[name]${extension}`, chunkFileNames: `[name]${extension}` };
}

/**
 * @param {Record<string, string>} input
 * @param {import('rolldown').OutputOptions} output
 * @param {import('rolldown').Plugin[]} plugins
 */
async function write(input, output, plugins) {
  const bundle = await rolldown({
    input: Object.fromEntries(
      Object.entries(input).map(([name, path]) => [name, join(compiled, `${path}.js`)]),
    ),
    plugins,
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
